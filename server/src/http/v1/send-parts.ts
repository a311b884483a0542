import { setTimeout } from 'node:timers/promises'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { type FileStream, openFileStream } from '../wire/file-stream.ts'
import { sendAnswer } from '../wire/send-answer.ts'
import { endUnlessAdmitted } from './hold.ts'

/** How often the rights of a caller are checked who does not read what was sent. */
const CHECK_MS = 20_000
/** How often, and after how long, a part is tried again that an overloaded or restarting database has refused. */
const TRIES = 30
const RETRY_MS = 1000

/** A file, and who receives it. */
type SentFile = {
  facts: ScopeFacts
  /** Whether it counts towards the exports that can run at once. */
  counts: boolean
  /** Reads the part that begins at a continuation, or the first. */
  read(facts: ScopeFacts, continuation?: string): Promise<Answer>
  /** Checks again that the caller may read, and returns the current facts. */
  admitAgain(): Promise<ScopeFacts>
}

type PartsSent = Pick<AppParts, 'exports' | 'waiting' | 'shedder' | 'logger' | 'isBusy'>

/**
 * Sends a response of any length in parts. Each part is a call of its own that begins when the client has read the part
 * before, so that a slow client holds no thread and no connection to the database.
 */
export async function sendParts(reply: FastifyReply, sent: SentFile, parts: PartsSent): Promise<FastifyReply> {
  const leave = sent.counts ? parts.exports.enter(sent.facts) : () => {}
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

type Running = { sent: SentFile; file: FileStream }

async function run(first: Answer, running: Running): Promise<void> {
  const { file } = running
  let answer = first
  while (await file.write(answer.body ?? '')) {
    const continuation = answer.aside?.continuation ?? null
    if (continuation === null) return file.end()
    answer = await readPart(continuation, running)
  }
}

/** The next part, with the rights that the caller has now. */
async function readPart(continuation: string, { sent, file }: Running): Promise<Answer> {
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
