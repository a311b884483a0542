import type { SecondFactor } from '@kith/contract/app/factors'
import type { DomainRule } from '../../accounts/domain-rules.ts'
import type { Caller, SignIn } from '../../accounts/identify.ts'
import type { SessionUser } from '../../accounts/session-user.ts'
import type { KnownDevices } from '../../accounts/sign-in/known-devices.ts'
import type { SignInMethod } from '../../accounts/sign-in/sign-in-events.ts'
import type { Attempt } from '../../accounts/sign-in/sign-in-limit.ts'
import type { Answer } from '../../calls/answer.ts'
import type { Lane } from '../../calls/call.ts'
import type { AccountHandlerName } from './account-handlers.ts'

/** How a session began. A trusted device counts as a factor only for users who have codes switched on. */
export type Began = { method: SignInMethod; factor: SecondFactor | null; rules?: readonly DomainRule[] }

/** Whose sign-in failed, and what was wrong. */
export type Failed = { what: 'password' | 'code' | 'passkey' } & ({ email: string } | { user_id: string })

/** What handlers that begin, end and change sessions have in addition to the request. */
export type SessionContext = {
  signIn: SignIn
  spendAttempt(attempt: Attempt): Promise<void>
  devices: KnownDevices
  needsSetUp(): Promise<boolean>
  /** Grants or denies access to an OAuth client, and returns the address to which the browser goes next. */
  settleConsent(sessionUser: SessionUser, input: unknown, caller: Caller): Promise<string>
  /** Executes a call of the account handlers for the current user. */
  account(handler: AccountHandlerName, lane: Lane): Promise<Answer>
  /** Runs work that the answer does not wait for. */
  inBackground(work: Promise<Answer>): void
  /** Marks and logs the session that began with these cookies; false when none did. */
  finish(cookies: readonly string[], began: Began): Promise<boolean>
  /** Marks the session that replaces this one with the same second factor. */
  carryFactor(cookies: readonly string[]): Promise<void>
  /** Marks the session of these cookies, or the current one, with a second factor. */
  markFactor(cookies: readonly string[], factor: SecondFactor): Promise<void>
  /** Logs a failed attempt in the background, so that the response time does not reveal whether an account exists. */
  noteFailure(failed: Failed): void
  /** The user who has given the password and must enter a code. */
  pendingUser(): Promise<string | undefined>
  passkeyHolder(credentialId: string): Promise<string | undefined>
  sessionUser: SessionUser | undefined
  caller: Caller
  now: Date
}

/** An answer, and the cookies to set. */
export type SessionAnswer = { answer: Answer; cookies?: string[] | undefined }
