import { parseFilter } from '@kith/contract/parse-filter'
import { type BuiltInName, resourceIn } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { sampleSchema } from '../../../../contract/test/definitions.ts'
import { compileFilter } from '../query/predicates.ts'
import { setOf } from '../query/sets.ts'
import type { Engine, Reader } from './engine.ts'
import { postgresHints } from './postgres/postgres.ts'
import { postgresSearch } from './postgres/search.ts'
import { type DialectName, type Session, type Sql, statementOf } from './sql.ts'
import { sqliteHints } from './sqlite/planner-hints.ts'
import { sqliteSearch } from './sqlite/search.ts'

/** Filters whose SQL a reviewer should see change. */
const cases: [name: string, resource: BuiltInName, filter: object][] = [
  ['a name, exactly', 'companies', { name: { $eq: 'Acme' } }],
  ['part of a name', 'companies', { name: { $contains: 'acm' } }],
  ['a part too short for the index', 'companies', { name: { $contains: 'ac' } }],
  ['a part in another script', 'companies', { name: { $contains: '日本語' } }],
  ['a whole day', 'people', { created_at: { $eq: '2026-11-14' } }],
  ['member ids', 'companies', { creator: { $not_in: ['01m7fdvgj07363qvt3z680nq2b'] } }],
  ['without an owner', 'companies', { accountOwner: { $is_empty: true } }],
  ['conditions on a related record', 'people', { company: { name: { $eq: 'Acme' } } }],
  ['some related record', 'companies', { people: { name: { $contains: 'ada' } } }],
  ['linked records', 'tasks', { companies: { $in: ['01m7fdvgj07363qvt3z680nq2b'] } }],
  ['mine', 'tasks', { assigned_to_me: { $eq: true } }],
  ['a text, exactly', 'companies', { custom_fields: { text: { $eq: 'Blue' } } }],
  ['a range of numbers', 'companies', { custom_fields: { number: { $gte: 1, $lt: 9 } } }],
  ['none of these tags', 'companies', { custom_fields: { tags_input: { $has_none: ['vip', 'new'] } } }],
  ['an empty field', 'companies', { custom_fields: { email: { $is_empty: true } } }],
  ['hosts of addresses', 'people', { custom_fields: { emails: { domain: { $in: ['acme.com'] } } } }],
  ["a field of people's company", 'people', { company: { custom_fields: { domain: { $has_any: ['acme.com'] } } } }],
  ['words', 'people', { $search: 'byron 555 01' }],
  ['logic', 'notes', { $or: [{ title: { $eq: 'a' } }, { $not: { title: { $contains: 'bcd' } } }] }],
]

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`filters in the words of ${dialect}`, () => {
    it.each(cases)('%s', (_name, type, filter) => {
      const resource = resourceIn(sampleSchema(), type)
      const scope = scopeOf(dialect)
      const issues: string[] = []
      const condition = parseFilter(filter, { resource, loose: false }, (path, message) => {
        issues.push(`${path}: ${message}`)
      })
      expect(issues).toEqual([])
      if (!condition) throw new Error('The filter says nothing.')
      const set = setOf(scope, resource, condition)
      expect({
        probe: textOf(scope, compileFilter(scope, condition)),
        set: set ? textOf(scope, set.select) : null,
      }).toMatchSnapshot()
    })
  })
}

function textOf(scope: Reader, piece: Sql<unknown>): string {
  return statementOf(piece, scope.db.session.dialect).text.replaceAll(/\s+/g, ' ').trim()
}

/** A scope whose session runs nothing: the test compares texts. */
function scopeOf(dialect: DialectName): Reader {
  const session: Session = {
    dialect,
    run: async () => {
      throw new Error('Nothing is run here.')
    },
  }
  const db = { session }
  const search = dialect === 'sqlite' ? sqliteSearch : postgresSearch
  const hints = dialect === 'sqlite' ? sqliteHints : postgresHints
  // A filter needs no more of the engine.
  const engine = { search, hints } as Engine
  return {
    workspace: { id: 'w', number: 1 },
    actor: { user_id: 'u', token_id: null, source: 'api' },
    engine,
    db,
    schema: sampleSchema(),
    inside: false,
  }
}
