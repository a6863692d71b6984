package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// olderWorks is the code of the error by which a migration is put off, in migrations/00005_floor.sql.
const olderWorks = "AD001"

// migrate brings the tables to this program's format, and returns the newest migration that it knows. Processes that
// begin together wait for the one that does. Tables of a newer program are as good: migrations add, so that programs of
// two releases work side by side. One that an older program cannot live with raises the floor: it is ErrOlder while
// such a program works, and ErrNewer for one that begins later.
func (d *Database) migrate(ctx context.Context, all fs.FS, version string) (newest int64, err error) {
	files, err := fs.Sub(all, "migrations")
	if err != nil {
		return 0, err
	}
	db := stdlib.OpenDBFromPool(d.pool)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName("adsync.migration"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return 0, err
	}
	newest = p.ListSources()[len(p.ListSources())-1].Version
	at, err := d.version(ctx)
	switch {
	case err != nil:
		return 0, err
	case at > newest:
		return newest, d.fits(ctx, newest, version)
	case at == newest:
		return newest, nil
	}
	err = d.alone(ctx, func() error {
		if _, err := d.pool.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS adsync`); err != nil {
			return err
		}
		_, err := p.Up(ctx)
		return err
	})
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok && failure.Code == olderWorks {
		return 0, fmt.Errorf("%w: %s", ErrOlder, failure.Message)
	}
	if err != nil {
		return 0, fmt.Errorf("migrate the database: %w", err)
	}
	return newest, nil
}

// fits is ErrNewer where the tables of a newer program are not for one that knows so many migrations.
func (d *Database) fits(ctx context.Context, newest int64, version string) error {
	var floor int64
	var release string
	if err := d.pool.QueryRow(ctx, `SELECT migration, release FROM adsync.floor`).Scan(&floor, &release); err != nil {
		return err
	}
	if floor > newest {
		return fmt.Errorf("%w: it wants adsync %s or newer; this is %s", ErrNewer, release, version)
	}
	return nil
}

// version is the newest migration the database has; 0 where it has none.
func (d *Database) version(ctx context.Context) (at int64, err error) {
	var there bool
	err = d.pool.QueryRow(ctx, `SELECT to_regclass('adsync.migration') IS NOT NULL`).Scan(&there)
	if err == nil && there {
		err = d.pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM adsync.migration`).Scan(&at)
	}
	return at, err
}

// alone does something while no other process does it. The lock is one of a transaction, on a connection of its own:
// it ends with the process, however that ends.
func (d *Database) alone(ctx context.Context, do func() error) error {
	conn, err := pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		waiting, cancel := within(ctx)
		defer cancel()
		if _, err := tx.Exec(waiting, `SELECT pg_advisory_xact_lock(hashtext('adsync.migration'))`); err != nil {
			return err
		}
		return do()
	})
}
