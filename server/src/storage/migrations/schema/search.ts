import type { Words } from '../words.ts'

/** The trigram index over names and text fields. */
export function search({ dialect }: Words): string[] {
  return dialect === 'sqlite' ? sqliteSearch : postgresSearch
}

/**
 * The triggers note which texts changed. The FTS index gets them in batches (transactions.ts). It has no positions:
 * every match is compared with its text anyway, and without them the index has a third of the size.
 */
const sqliteSearch = [
  `create table search_fields (
    seq integer primary key, workspace_id text not null, name text not null, unique (workspace_id, name))`,
  'create table search_texts (seq integer primary key, record_id text not null, text text not null)',
  `create virtual table search using fts5 (text, content = '', contentless_delete = 1,
    tokenize = 'trigram case_sensitive 1', detail = none)`,
  'create table search_fresh (seq integer primary key)',
  `create trigger search_texts_put after insert on search_texts begin
    insert or ignore into search_fresh (seq) values (new.seq); end`,
  `create trigger search_texts_removed after delete on search_texts begin
    insert or ignore into search_fresh (seq) values (old.seq); end`,
]

/**
 * New texts wait in a pending list, which every search reads from end to end. The default limit of four megabytes makes
 * a search 2.5 times slower after 4,000 new names, so the list is kept short.
 */
const postgresSearch = [
  'create extension if not exists pg_trgm',
  'create extension if not exists btree_gin',
  `create table search_texts (
    workspace_id text collate "C" not null, field text collate "C" not null, record_id text collate "C" not null,
    text text collate "C" not null, primary key (workspace_id, record_id, field))`,
  `create index search_texts_trigrams on search_texts using gin (workspace_id, field, text gin_trgm_ops)
    with (gin_pending_list_limit = 256)`,
]
