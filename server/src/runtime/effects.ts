import type { Logger } from 'pino'
import type { Effect } from '../calls/answer.ts'
import type { AppParts } from '../http/parts.ts'
import type { SendMail } from '../outbound/mail.ts'

/** The parts of this process that answers have effects on. */
type EffectParts = {
  /** Undefined if the service sends no mail. */
  sendMail: SendMail | undefined
  logger: Logger
  /** Each wakes a part that would otherwise notice the change when it polls. */
  wake: Readonly<Record<'job_queued' | 'webhook_changed' | 'data_deleted', () => void>>
}

/** Executes calls, and carries out the effects of their answers. */
export function withEffects(execute: AppParts['execute'], parts: EffectParts): AppParts['execute'] {
  return async (call, isDisconnected) => {
    const answer = await execute(call, isDisconnected)
    for (const effect of answer.effects ?? []) carryOut(effect, parts)
    return answer
  }
}

function carryOut(effect: Effect, { sendMail, logger, wake }: EffectParts): void {
  switch (effect.kind) {
    case 'mail':
      // In the background. Its text is never logged.
      sendMail?.(effect.mail).catch((error: unknown) =>
        logger.error({ error: String(error) }, 'A mail could not be sent.'),
      )
      break
    // Carried out where it arises: the records follow before the response.
    case 'fields_changed':
    // The cookies of a session are set by the request that it belongs to.
    case 'account_known':
      break
    default:
      wake[effect.kind]()
  }
}
