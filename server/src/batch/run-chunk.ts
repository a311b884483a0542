import { once, refuseKey } from '../records/once.ts'
import { keyedCall } from '../records/tool-key.ts'
import type { Scope } from '../scope/scope.ts'
import { inChunkTurn } from './chunk-turn.ts'
import type { Batch } from './parse-operations.ts'
import { batchDocument } from './present-results.ts'
import { runWhole } from './run-batch.ts'

/** The key of a tool call, and the whole input. */
type Key = { key: string; input: unknown }

/** Carries out a batch of no more than a chunk and returns its document. With a key, once: a dry run uses none. */
export function runChunk(scope: Scope, batch: Batch, keyed?: Key): Promise<string> {
  const run = async (inside: Scope) => batchDocument(await runWhole(inside, batch), batch)
  // The turn comes before the transaction, which others wait for.
  return inChunkTurn(scope, () => (keyed && !batch.dry_run ? runOnce(scope, keyed, run) : run(scope)))
}

function runOnce(scope: Scope, { key, input }: Key, run: (inside: Scope) => Promise<string>): Promise<string> {
  return once<string>(scope, {
    keyed: keyedCall(scope, key, { tool: 'batch_records', input }),
    async work(inside) {
      const body = await run(inside)
      return { value: body, response: { status: 200, headers: '{}', body } }
    },
    replay: (_inside, { body }) => body ?? '',
    refuseOther: () =>
      refuseKey('The idempotency_key was used for another input already. Use a new key for other operations.'),
  })
}
