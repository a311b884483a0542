import { setTimeout } from 'node:timers/promises'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { AppParts } from '../parts.ts'
import { type FileStream, openFileStream } from '../wire/file-stream.ts'
import { sendAnswer } from '../wire/send-answer.ts'
import type { Following } from './hold.ts'

/** How often the rights of a caller are checked who does not read what was sent. */
const CHECK_MS = 20_000
/** How often, and after how long, a part is tried again that an overloaded or restarting database has refused. */
const TRIES = 30
const RETRY_MS = 1000

type Sent = { reply: FastifyReply; following: Following }
type PartsSent = Pick<AppParts, 'exports' | 'waiting' | 'shedder' | 'logger' | 'isBusy'>

/**
 * Sends a response of any length in parts. Each part is a call of its own that begins when the client has read the part
 * before, so that a slow client holds no thread and no connection to the database.
 */
export async function sendParts({ reply, following }: Sent, parts: PartsSent): Promise<FastifyReply> {
  const { facts, request } = following.call
  const leave = request.handler === 'job-results' ? () => {} : parts.exports.enter(facts)
  let first: Answer
  try {
    first = await following.execute(following.call)
  } catch (error) {
    leave()
    throw error
  }
  if (first.status !== 200 || reply.request.method === 'HEAD') {
    leave()
    return sendAnswer(reply, first.status === 200 ? { ...first, body: null } : first, { ...parts, mediaType: '' })
  }
  const file = openFileStream(reply, { shedder: parts.shedder, headers: first.headers ?? {} })
  const checking = setInterval(() => void cutUnlessAdmitted(following, file), CHECK_MS).unref()
  const { stopping } = parts.waiting
  stopping.addEventListener('abort', file.cut)
  file.whenClosed(() => {
    clearInterval(checking)
    stopping.removeEventListener('abort', file.cut)
    leave()
  })
  void run(first, { following, file }).catch((error) => {
    // A client that disconnects ends its export, and so does a token that is no longer valid.
    const isUsual = error instanceof Refusal || file.closed.aborted
    if (!isUsual) parts.logger.warn({ request_id: reply.request.id, error: String(error) }, 'An export was cut off.')
    file.cut()
  })
  return reply
}

type Running = { following: Following; file: FileStream }

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
async function readPart(continuation: string, { following, file }: Running): Promise<Answer> {
  const { call, execute, admitAgain } = following
  const request = { ...call.request, continuation }
  for (let tries = 1; ; tries++) {
    const answer = await admitAgain()
      // Only the first part, which has the cursor, must be read from the primary.
      .then((facts) => execute({ ...call, facts, request, replica: true }))
      .catch((error) => (error instanceof Refusal || tries === TRIES ? Promise.reject(error) : undefined))
    if (answer?.status === 200) return answer
    if (answer && answer.status !== 503) throw new Error(`A part was answered with ${answer.status}: ${answer.body}`)
    if (tries === TRIES) throw new Error('The database was not available for too long.')
    await setTimeout(RETRY_MS, undefined, { signal: file.closed })
  }
}

async function cutUnlessAdmitted({ admitAgain }: Following, { cut }: FileStream): Promise<void> {
  // A database that is away for a moment ends nothing.
  await admitAgain().catch((error) => void (error instanceof Refusal && cut()))
}
