# Reads a multipart form with Python's own e-mail parser and prints its parts as JSON.
import email, email.policy, hashlib, json, sys

head = b"Content-Type: " + sys.argv[1].encode() + b"\r\n\r\n"
form = email.message_from_bytes(head + sys.stdin.buffer.read(), policy=email.policy.HTTP)
parts, defects = [], [str(d) for d in form.defects]
for part in form.iter_parts():
    disposition = part["Content-Disposition"]
    parts.append({
        "name": disposition.params.get("name"), "filename": disposition.params.get("filename"),
        "type": part.get_content_type() if part["Content-Type"] else None,
        "sum": hashlib.sha256(part.get_payload(decode=True)).hexdigest(),
    })
    defects += [str(d) for d in [*part.defects, *disposition.defects]]
json.dump({"parts": parts, "defects": defects}, sys.stdout)
