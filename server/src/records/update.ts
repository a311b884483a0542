import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { requireAbilities } from './allow.ts'
import { parseWrite, type Sent, type WriteContext } from './ask.ts'
import type { Expected } from './expected.ts'
import { type Presented, presentRecords } from './present.ts'
import { idInPath } from './read.ts'
import { writeAlone } from './write-set.ts'
import { writingOne } from './writing.ts'

type SentUpdate = Sent & { id: string; expected?: Expected }

/** Changes what is sent and keeps what is not. */
export async function updateRecord(scope: Scope, resource: Resource, sent: SentUpdate): Promise<Presented> {
  requireAbilities(scope, ['update'])
  const id = idInPath(resource, sent.id)
  return writingOne(scope, resource, async (inside, definitions) => {
    const { answer, ...write } = parseUpdate(sent, { resource, definitions }, id)
    const { row } = await writeAlone(inside, resource, { definitions, write })
    return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
  })
}

/** `id` is the one that was sent, in lower case. */
export function parseUpdate({ id: sent_id, expected, ...sent }: SentUpdate, context: WriteContext, id: string) {
  return { ...parseWrite(sent, { ...context, creating: false }), op: 'update' as const, id, sent_id, expected }
}
