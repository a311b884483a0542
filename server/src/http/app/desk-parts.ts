import type { SecondFactor } from '@kith/contract/app/factors'
import type { DomainRule } from '../../accounts/domain-rules.ts'
import type { Caller, SignIn } from '../../accounts/identify.ts'
import type { KnownDevices } from '../../accounts/sign-in/known-devices.ts'
import type { SignInMethod } from '../../accounts/sign-in/sign-in-events.ts'
import type { Attempt } from '../../accounts/sign-in/sign-in-limit.ts'
import type { Visitor } from '../../accounts/visits.ts'
import type { Answer } from '../../calls/answer.ts'
import type { Lane } from '../../calls/call.ts'
import type { AccountHandlerName } from './account-handlers.ts'

/** How a session began. A factor that only counts with codes switched on is left out where they are off. */
export type Began = { method: SignInMethod; factor: SecondFactor | null; rules?: readonly DomainRule[] }

/** Whose sign-in failed, and what was wrong. */
export type Failed = { what: 'password' | 'code' | 'passkey' } & ({ email: string } | { user_id: string })

/** What the handlers of sessions have beside the request. */
export type Desk = {
  signIn: SignIn
  spendAttempt(attempt: Attempt): Promise<void>
  devices: KnownDevices
  needsSetUp(): Promise<boolean>
  /** Lets a program in, or does not, and tells where the browser goes next. */
  settleConsent(visitor: Visitor, input: unknown, caller: Caller): Promise<string>
  /** Carries out an account's call for whoever asks. */
  account(handler: AccountHandlerName, lane: Lane): Promise<Answer>
  /** Lets work go on behind an answer that does not wait for it. */
  behind(work: Promise<Answer>): void
  /** Marks and logs a session that has begun with these cookies; false when none has. */
  finish(cookies: readonly string[], began: Began): Promise<boolean>
  /** Gives a session that takes the place of this one the same second factor. */
  carryFactor(cookies: readonly string[]): Promise<void>
  /** Marks the session of these cookies, or the present one, as one that began with a factor. */
  markFactor(cookies: readonly string[], factor: SecondFactor): Promise<void>
  /** Logs a failed attempt behind the answer: the time that it takes tells nobody whether there is such an account. */
  noteFailure(failed: Failed): void
  /** The user who has given the password and is asked for a code. */
  pendingUser(): Promise<string | undefined>
  passkeyHolder(credentialId: string): Promise<string | undefined>
  visitor: Visitor | undefined
  caller: Caller
  now: Date
}

/** An answer, and the cookies that the browser is to keep. */
export type DeskAnswer = { answer: Answer; cookies?: string[] | undefined }
