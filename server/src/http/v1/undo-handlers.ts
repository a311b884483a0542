import type { UndoResult } from '@kith/contract/changes/undo'
import { asBatch, inChunkTurn } from '../../batch/run-batch.ts'
import type { Answer } from '../../calls/answer.ts'
import { jsonIn, optionalJsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import { keyedRequest, keyIn, requirePaid } from '../../calls/idempotency.ts'
import { findChange, findChanges } from '../../changes/undo/found-change.ts'
import { readChange } from '../../changes/undo/read-change.ts'
import { abilitiesOf, askedUndos, undoChange, undoChanges, undoDocument } from '../../changes/undo/undo-changes.ts'
import { once, onceInSteps } from '../../records/once.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import { answerDocument, answerRecord, askedInQuery, ifMatch } from './requests.ts'

/** One change, and the undo of changes. */
export const undoHandlers = {
  change: async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    return answerDocument(200, { data: await readChange(scope, request.id, issues) })
  },
  'undo-change': async (scope, request) => {
    const change = await findChange(scope, request.id)
    requireAbilities(scope, abilitiesOf([change]))
    return once(scope, keyedRequest(scope, request), async (inside) => {
      const { issues } = askedInQuery(request, true)
      const sent = { body: optionalJsonIn(request.body), expected: ifMatch(request), issues }
      const { change_id, presented, part } = await undoChange(inside, change, sent)
      const shown = presented ? answerRecord(200, presented) : part && answerDocument(200, { data: part })
      const answer: Answer = shown ?? { status: 204, body: null }
      const header: Answer['headers'] = change_id === undefined ? {} : { 'X-Change-Id': change_id }
      return { ...answer, headers: { ...answer.headers, ...header } }
    })
  },
  'undo-changes': async (given, request) => {
    const scope = asBatch(given, keyIn(request))
    const asked = await askedUndos(scope, jsonIn(request.body), issuesIn(request))
    const changes = await findChanges(scope, asked.ids)
    requireAbilities(scope, abilitiesOf(changes.values()))
    const answerOf = (results: readonly UndoResult[]) => answerUndos(results, asked)
    // A dry run uses no key.
    if (asked.dry_run) {
      requirePaid(request)
      return answerOf(await undoChanges(scope, asked))
    }
    return onceInSteps(scope, keyedRequest(scope, request), async (runStep) => {
      // What is found after a crash is no longer the same.
      const ids = await runStep({ number: 0, work: async () => asked.ids })
      const results = await undoChanges(scope, { ...asked, ids }, ({ number, before, isLast, work }) => {
        const end = isLast ? (last: UndoResult[]) => answerOf([...before, ...last]) : undefined
        return inChunkTurn(scope, () => runStep({ number: number + 1, work, end }))
      })
      return answerOf(results)
    })
  },
} satisfies Record<string, V1Handler>

function issuesIn(request: V1Request) {
  const { issues } = askedInQuery(request, true)
  if (ifMatch(request) === undefined) return issues
  const message = 'If-Match names the state of one record: undo that change with PUT /v1/changes/{id}/undo.'
  return [...issues, { path: 'if_match', message }]
}

function answerUndos(results: readonly UndoResult[], asked: { dry_run: boolean }): Answer {
  const document = undoDocument(results, asked)
  return { ...answerDocument(document.meta.failed > 0 ? 207 : 200, document), items: results.length }
}
