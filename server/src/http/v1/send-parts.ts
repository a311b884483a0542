import { setTimeout } from 'node:timers/promises'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import { type Answer, nextOf } from '../../calls/answer.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { type FileStream, openFileStream } from '../wire/file-stream.ts'
import { sendAnswer } from '../wire/send-answer.ts'
import { endUnlessAdmitted } from './hold.ts'

/** How often the rights of a caller who does not read are checked. */
const CHECK_MS = 20_000
/** How often, and after how long, a part is retried that an overloaded or restarting database has refused. */
const TRIES = 30
const RETRY_MS = 1000

/** A file, and its receiver. */
type SentFile = {
  facts: ScopeFacts
  /** Whether it counts towards the exports that can run at once. */
  counts: boolean
  /** Reads the part at a continuation, or the first part. */
  read(facts: ScopeFacts, continuation?: string): Promise<Answer>
  /** Checks again that the caller may read, and returns the current facts. */
  admitAgain(): Promise<ScopeFacts>
}

/**
 * Sends a response of any length in parts. Each part is its own call, which starts when the client has read the
 * previous part, so that a slow client holds no thread and no database connection.
 */
export async function sendParts(
  reply: FastifyReply,
  sent: SentFile,
  parts: Pick<AppParts, 'exports' | 'waiting' | 'shedder' | 'logger' | 'isBusy'>,
): Promise<FastifyReply> {
  const leave = sent.counts ? await parts.exports.enter(sent.facts) : () => {}
  const first = await sent.read(sent.facts).catch((error: unknown) => {
    leave()
    throw error
  })
  if (first.status !== 200 || reply.request.method === 'HEAD') {
    leave()
    return sendAnswer(reply, first.status === 200 ? { ...first, body: null } : first, { ...parts, mediaType: '' })
  }
  const file = openFileStream(reply, { shedder: parts.shedder, headers: first.headers ?? {} })
  const checking = setInterval(() => void endUnlessAdmitted(sent, file.cut), CHECK_MS).unref()
  const { stopping } = parts.waiting
  stopping.addEventListener('abort', file.cut)
  file.whenClosed(() => {
    clearInterval(checking)
    stopping.removeEventListener('abort', file.cut)
    leave()
  })
  void run(first, { sent, file }).catch((error) => {
    // A client that disconnects ends its export, and so does a token that is no longer valid.
    const isUsual = error instanceof Refusal || file.closed.aborted
    if (!isUsual) parts.logger.warn({ request_id: reply.request.id, error: String(error) }, 'An export was cut off.')
    file.cut()
  })
  return reply
}

type RunningFile = { sent: SentFile; file: FileStream }

async function run(first: Answer, running: RunningFile): Promise<void> {
  const { file } = running
  let answer = first
  while (await file.write(answer.bytes ?? answer.body ?? '')) {
    const continuation = nextOf(answer, 'part')?.continuation ?? null
    if (continuation === null) return file.end()
    answer = await readPart(continuation, running)
  }
}

/** The next part, with the current rights of the caller. */
async function readPart(continuation: string, { sent, file }: RunningFile): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await sent
      .admitAgain()
      .then((facts) => sent.read(facts, continuation))
      .catch((error) => (error instanceof Refusal || tries === TRIES ? Promise.reject(error) : undefined))
    if (answer?.status === 200) return answer
    if (answer && answer.status !== 503) throw new Error(`A part was answered with ${answer.status}: ${answer.body}`)
    if (tries === TRIES) throw new Error('The database was not available for too long.')
    await setTimeout(RETRY_MS, undefined, { signal: file.closed })
  }
}
