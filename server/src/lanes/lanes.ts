import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'

/** Where calls are carried out, so that a long one holds up nobody else. */
export type Lanes = {
  /** Makes ready what calls will need. They are taken before that, too. */
  start(): void
  perform(call: Call): Promise<Answer>
  /** How many calls wait for each lane, those at work included. */
  queues(): { lane: string; waiting: number }[]
  /** How many calls were turned away because too much was waiting, by reason. */
  shed: Map<string, number>
  close(): Promise<void>
}
