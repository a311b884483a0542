import { resourceNames } from '@kith/contract/resource'
import type { Migration } from './words.ts'

/** On SQLite a second index over the names, by longer parts than three letters. */
export const nameSpans: Migration = {
  name: '0007-name-spans',
  statements: ({ dialect }) => (dialect === 'sqlite' ? spans : []),
}

/** The names of records stand on the shelves of their resources. */
const ofNames = `s.name in (${resourceNames.map((name) => `'${name}'`).join(', ')})`

/** The connection that writes knows the function `spans`. */
const spans = [
  `create virtual table search_names using fts5 (
    spans, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`,
  `insert into search_names (rowid, spans)
    select t.seq, spans(t.text) from shelves s cross join search_texts t on t.seq >= (s.seq << 40) and t.seq < ((s.seq + 1) << 40)
    where ${ofNames} order by t.seq`,
  `create trigger search_names_put after insert on search_texts
    when exists (select 1 from shelves s where s.seq = new.seq >> 40 and ${ofNames}) begin
    insert or replace into search_names (rowid, spans) values (new.seq, spans(new.text)); end`,
  `create trigger search_names_removed after delete on search_texts begin
    delete from search_names where rowid = old.seq; end`,
]
