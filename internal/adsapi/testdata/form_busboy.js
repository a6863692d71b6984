// Reads a multipart form with busboy, as Node servers do, and prints its parts as JSON.
const crypto = require('crypto')
const busboy = require('busboy')
const parts = [], defects = []
const form = busboy({ headers: { 'content-type': process.argv[2] }, limits: { fieldSize: 1 << 30 } })
const sum = data => crypto.createHash('sha256').update(data).digest('hex')
form.on('file', (name, stream, info) => {
  const chunks = []
  stream.on('data', chunk => chunks.push(chunk))
  stream.on('end', () => parts.push({ name, filename: info.filename, type: info.mimeType, sum: sum(Buffer.concat(chunks)) }))
})
form.on('field', (name, value, info) => parts.push({ name, filename: null, type: info.mimeType, sum: sum(value) }))
form.on('error', error => defects.push(String(error)))
form.on('close', () => process.stdout.write(JSON.stringify({ parts, defects })))
process.stdin.pipe(form)
