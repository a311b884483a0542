import type { DialectName, Session } from './sql.ts'

/** Words of SQL that differ between the databases. */
type Syntax = {
  /** Locks the rows of an alias until the transaction ends. Empty where only one transaction writes at a time. */
  lockForChange(alias: string): string
  /** Tells which rows of `key_moves` were committed before a snapshot. */
  clock: Clock
  /** How a boolean is stored: better-auth writes numbers to SQLite. */
  flag(value: boolean): boolean | number
}

/**
 * SQLite numbers moves in the order of their commits. PostgreSQL does not know that order, but it knows which
 * transactions are still open on any node: what becomes visible later belongs to one of them or has a higher number. A
 * replica only knows the lowest of their numbers.
 */
type Clock = { column: string; now: string; open: string }

export function syntaxOf({ dialect }: Session): Syntax {
  return syntaxes[dialect]
}

const syntaxes: Readonly<Record<DialectName, Syntax>> = {
  sqlite: {
    lockForChange: () => '',
    clock: { column: 'seq', now: '(select coalesce(max(seq), 0) + 1 from key_moves)', open: 'null' },
    flag: Number,
  },
  postgres: {
    lockForChange: (alias) => `for no key update of ${alias}`,
    clock: {
      column: 'clock',
      now: `(case when pg_is_in_recovery() then pg_snapshot_xmin(pg_current_snapshot())
        else pg_snapshot_xmax(pg_current_snapshot()) end)::text::bigint`,
      open: 'array(select number::text::float8 from pg_snapshot_xip(pg_current_snapshot()) number order by number)',
    },
    flag: (value) => value,
  },
}
