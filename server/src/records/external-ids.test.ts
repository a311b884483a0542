import { describe, expect, it } from 'vitest'
import { type Tenancy, tenancyFor } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { byRecord, externalIdsOf } from './external-ids.ts'

/** A scope whose database fails with every statement. */
function scopeWithoutDatabase(): Tenancy {
  const session = { all: () => Promise.reject(new Error('A statement ran.')) }
  // Only the parts that a statement would use.
  const engine = { db: { session } } as unknown as Engine
  const workspace = { id: 'w', number: 1, slug: 'w', name: 'w', fields_version: 1 }
  const actor = { user_id: 'u', role: 'owner', abilities: [], token_id: null, source: 'api' } as const
  return tenancyFor({ engine, secret: '', now: () => new Date() }, { workspace, actor })
}

describe('external ids', () => {
  it('are lists by namespace, for each record that has any', () => {
    const row = (record_id: string, namespace: string, external_id: string) => {
      return { record_id, namespace, external_id, position: 1 }
    }
    const rows = [row('a', 'crm', '2'), row('a', 'crm', '1'), row('a', 'erp', '1'), row('b', 'crm', '3')]
    expect([...byRecord(rows)]).toEqual([
      ['a', { crm: ['2', '1'], erp: ['1'] }],
      ['b', { crm: ['3'] }],
    ])
  })

  it('of no records need no statement', async () => {
    expect(await externalIdsOf(scopeWithoutDatabase(), [])).toEqual(new Map())
  })
})
