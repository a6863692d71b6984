package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Beside is what is kept beside the state of an account, by name: a kv.Store. It needs no lease.
type Beside struct {
	database *Database
	account  string
	tx       pgx.Tx // in which all is done; nil: each change has one of its own
}

// Beside returns what is kept beside the state of an account.
func (d *Database) Beside(account string) *Beside { return &Beside{database: d, account: account} }

// Together changes what is kept beside the state of an account in one transaction. Who changes so by the same name
// waits until it has ended. What is done is not done again where the line was cut: nobody knows what became of it.
func (b *Beside) Together(ctx context.Context, name string,
	do func(ctx context.Context, tx pgx.Tx, b *Beside) error) error {
	k, err := key(name)
	if err != nil {
		return err
	}
	ctx, cancel := within(ctx)
	defer cancel()
	var tx pgx.Tx
	err = b.database.twice(ctx, func(ctx context.Context) (err error) {
		tx, err = b.database.pool.Begin(ctx)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing, where it was committed
	if err := b.lock(ctx, tx, k); err != nil {
		return err
	}
	if err := do(ctx, tx, &Beside{b.database, b.account, tx}); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Where returns what people call the place of a content.
func (b *Beside) Where(name string) string {
	if name == "" {
		return b.account + " in the database"
	}
	return name + " of " + b.account + " in the database"
}

// key is the name of a content as the database keeps it: any bytes, as names of files are.
func key(name string) ([]byte, error) {
	if !fs.ValidPath(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return nil, fmt.Errorf("%q names no content; want a path in which no part begins with a dot", name)
	}
	return []byte(name), nil
}

// do asks a question about a content, in one transaction, and once more where the line was cut.
func (b *Beside) do(name string, ask func(ctx context.Context, tx pgx.Tx, key []byte) error) error {
	k, err := key(name)
	if err != nil {
		return err
	}
	if b.tx != nil {
		return ask(context.Background(), b.tx, k)
	}
	return b.database.inTransaction(context.Background(), func(ctx context.Context, tx pgx.Tx) error {
		return ask(ctx, tx, k)
	})
}

// asker is a pool or a transaction.
type asker interface {
	querier
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// read asks a question that changes nothing, and once more where the line was cut.
func (b *Beside) read(ask func(ctx context.Context, of asker) error) error {
	if b.tx != nil {
		return ask(context.Background(), b.tx)
	}
	return b.database.twice(context.Background(), func(ctx context.Context) error {
		return ask(ctx, b.database.pool)
	})
}

// Get returns a content of so many bytes at most.
func (b *Beside) Get(name string, most int) (content []byte, err error) {
	k, err := key(name)
	if err != nil {
		return nil, err
	}
	var size *int64
	err = b.read(func(ctx context.Context, of asker) error {
		return of.QueryRow(ctx, `SELECT sum(octet_length(content)),
				CASE WHEN sum(octet_length(content)) <= $3 THEN string_agg(content, '' ORDER BY part) END
			FROM adsync.beside WHERE account = $1 AND name = $2`, b.account, k, most).Scan(&size, &content)
	})
	switch {
	case err != nil:
		return nil, err
	case size == nil:
		return nil, fmt.Errorf("%s: %w", b.Where(name), fs.ErrNotExist)
	case *size > int64(most):
		return nil, fmt.Errorf("%s is over %d KiB; want one of adsync's", b.Where(name), most>>10)
	}
	return content, nil
}

// Put replaces a content as a whole.
func (b *Beside) Put(name string, content []byte) error {
	return b.do(name, func(ctx context.Context, tx pgx.Tx, k []byte) error {
		if err := b.lock(ctx, tx, k); err != nil {
			return err
		}
		return b.replace(ctx, tx, k, content)
	})
}

// lock has whoever changes the same content wait until the transaction has ended.
func (b *Beside) lock(ctx context.Context, tx pgx.Tx, k []byte) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || encode($2, 'hex'), 0))`,
		b.account, k)
	return err
}

func (b *Beside) replace(ctx context.Context, tx pgx.Tx, k, content []byte) error {
	if _, err := tx.Exec(ctx, `DELETE FROM adsync.beside WHERE account = $1 AND name = $2`, b.account, k); err != nil {
		return err
	}
	return b.add(ctx, tx, k, content)
}

func (b *Beside) add(ctx context.Context, tx pgx.Tx, k, content []byte) error {
	_, err := tx.Exec(ctx, `INSERT INTO adsync.beside (account, name, content) VALUES ($1, $2, $3)`,
		b.account, k, append([]byte{}, content...)) // never null
	return err
}

// Secret returns the content that was put there first.
func (b *Beside) Secret(name string, fresh []byte) (kept []byte, err error) {
	err = b.do(name, func(ctx context.Context, tx pgx.Tx, k []byte) error {
		if err := b.lock(ctx, tx, k); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT content FROM adsync.beside WHERE account = $1 AND name = $2 ORDER BY part LIMIT 1`,
			b.account, k).Scan(&kept)
		switch {
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		case fresh == nil:
			return fmt.Errorf("%s: %w", b.Where(name), fs.ErrNotExist)
		}
		kept = fresh
		return b.add(ctx, tx, k, fresh)
	})
	return kept, err
}

// Append adds a line to a content.
func (b *Beside) Append(name string, line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("a line holds an end of line; want one line")
	}
	k, err := key(name)
	if err != nil {
		return err
	}
	ctx, cancel := within(context.Background())
	defer cancel()
	run := b.database.pool.Exec
	if b.tx != nil {
		run = b.tx.Exec
	}
	_, err = run(ctx, `INSERT INTO adsync.beside (account, name, content)
		SELECT $1, $2, CASE WHEN octet_length(before.content) > 0 AND
			get_byte(before.content, octet_length(before.content) - 1) <> 10 THEN '\x0a'::bytea ELSE '' END || $3::bytea
		FROM (SELECT (SELECT content FROM adsync.beside WHERE account = $1 AND name = $2
			ORDER BY part DESC LIMIT 1) AS content) AS before`,
		b.account, k, append(slices.Clip(line), '\n')) // once: what was appended twice would count twice
	return err
}

// Rewrite puts what change returns in the place of a content. Lines that are appended meanwhile stay.
func (b *Beside) Rewrite(name string, change func(content []byte) []byte) error {
	return b.do(name, func(ctx context.Context, tx pgx.Tx, k []byte) error {
		if err := b.lock(ctx, tx, k); err != nil {
			return err
		}
		var content []byte
		var parts []int64
		err := tx.QueryRow(ctx, `SELECT string_agg(content, '' ORDER BY part), array_agg(part ORDER BY part)
			FROM adsync.beside WHERE account = $1 AND name = $2`, b.account, k).Scan(&content, &parts)
		if err != nil {
			return err
		}
		changed := change(content)
		if changed == nil {
			return nil
		}
		if len(parts) == 0 {
			return b.add(ctx, tx, k, changed)
		}
		// in the place of the last part, so that a line of meanwhile stays behind it; of the others only those that
		// were read go: a line whose part was numbered before may be committed after
		last := len(parts) - 1
		_, err = tx.Exec(ctx, `WITH before AS (
				DELETE FROM adsync.beside WHERE account = $1 AND name = $2 AND part = ANY($5)
			) UPDATE adsync.beside SET content = $4 WHERE account = $1 AND name = $2 AND part = $3`,
			b.account, k, parts[last], changed, parts[:last])
		return err
	})
}

// Delete takes a content away, and of a name that ends in a slash all beneath it.
func (b *Beside) Delete(name string) error {
	beneath := strings.HasSuffix(name, "/")
	return b.do(strings.TrimSuffix(name, "/"), func(ctx context.Context, tx pgx.Tx, k []byte) error {
		if !beneath {
			_, err := tx.Exec(ctx, `DELETE FROM adsync.beside WHERE account = $1 AND name = $2`, b.account, k)
			return err
		}
		from, to := append(slices.Clip(k), '/'), append(slices.Clip(k), '/'+1)
		_, err := tx.Exec(ctx, `DELETE FROM adsync.beside WHERE account = $1 AND name >= $2 AND name < $3`,
			b.account, from, to)
		return err
	})
}

// Names returns the names that begin so, in the order of their bytes.
func (b *Beside) Names(prefix string) (names []string, err error) {
	err = b.read(func(ctx context.Context, of asker) error {
		rows, err := of.Query(ctx, `SELECT DISTINCT name FROM adsync.beside
			WHERE account = $1 AND substr(name, 1, $3) = $2 ORDER BY name`, b.account, []byte(prefix), len(prefix))
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		names = nil
		for _, name := range found {
			names = append(names, string(name))
		}
		return err
	})
	return names, err
}
