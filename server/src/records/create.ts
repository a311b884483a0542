import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { requireAbilities } from './allow.ts'
import { parseWrite, type Sent, type WriteContext } from './ask.ts'
import { type Presented, presentRecords } from './present.ts'
import { writeAlone } from './write-set.ts'
import { writingOne } from './writing.ts'

export async function createRecord(scope: Scope, resource: Resource, sent: Sent): Promise<Presented> {
  requireAbilities(scope, ['create'])
  return writingOne(scope, resource, async (inside, definitions) => {
    const { answer, ...write } = parseCreate(sent, { resource, definitions })
    const { row } = await writeAlone(inside, resource, { definitions, write })
    return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
  })
}

export function parseCreate(sent: Sent, context: WriteContext) {
  return { ...parseWrite(sent, { ...context, creating: true }), op: 'create' as const }
}
