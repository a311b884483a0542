import type { Answer } from './answer.ts'
import type { Call, IsGone } from './call.ts'

/** Where calls are carried out, so that a long one does not delay others. */
export type Lanes = {
  /** Makes ready what calls will need. They are taken before that, too. */
  start(): void
  /** A read whose client has gone before its turn is not carried out. */
  perform(call: Call, isGone?: IsGone): Promise<Answer>
  /** How many calls wait for each lane, those at work included. */
  queues(): { lane: string; waiting: number }[]
  /** How many calls were turned away because too much was waiting, by reason. */
  shed: Map<string, number>
  close(): Promise<void>
}

/** Only the log sees it. */
export const GONE: Answer = { status: 499, body: null }
