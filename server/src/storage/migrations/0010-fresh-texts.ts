import type { Migration } from './words.ts'

/** On SQLite the search index learns of texts many at a time (see fresh-texts.ts). */
export const freshTexts: Migration = {
  name: '0010-fresh-texts',
  statements: ({ dialect }) => (dialect === 'sqlite' ? fresh : []),
}

const fresh = [
  'drop trigger search_texts_put',
  'drop trigger search_texts_removed',
  'drop trigger search_names_put',
  'drop trigger search_names_removed',
  'create table search_fresh (seq integer primary key)',
  `create trigger search_texts_put after insert on search_texts begin
    insert or ignore into search_fresh (seq) values (new.seq); end`,
  `create trigger search_texts_removed after delete on search_texts begin
    insert or ignore into search_fresh (seq) values (old.seq); end`,
]
