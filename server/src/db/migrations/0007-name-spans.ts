import { resourceNames } from '@kith/contract/resource'
import type { Migration } from './words.ts'

/** On SQLite a second index over the names, by longer parts than three letters. */
export const nameSpans: Migration = {
  name: '0007-name-spans',
  statements: ({ dialect }) => (dialect === 'sqlite' ? spans : []),
}

const spans = [
  `create virtual table search_names using fts5 (
    spans, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`,
  `create trigger search_names_removed after delete on search_texts begin
    delete from search_names where rowid = old.seq; end`,
  `insert into search_names (rowid, spans)
    select t.seq, spans(t.text) from shelves s cross join search_texts t on t.seq >= (s.seq << 40) and t.seq < ((s.seq + 1) << 40)
    where s.name in (${resourceNames.map((name) => `'${name}'`).join(', ')}) order by t.seq`,
]
