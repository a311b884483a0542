import type { DomainRule } from '../../accounts/domain-rules.ts'
import type { Caller, SignIn } from '../../accounts/identify.ts'
import type { SessionRequest, SessionUser } from '../../accounts/session-user.ts'
import type { KnownDevices } from '../../accounts/sign-in/known-devices.ts'
import type { Attempt } from '../../accounts/sign-in/sign-in-limit.ts'
import type { SignInSite } from '../../calls/call.ts'
import type { Changes } from '../../runtime/live-updates.ts'
import type { SendMail } from '../../runtime/mail.ts'
import type { Spent } from '../../runtime/rate-limit.ts'

/** What the application's private API needs in addition to what all surfaces share. */
export type WebParts = {
  signIn: SignIn
  findSessionUser(session: SessionRequest): Promise<SessionUser | undefined>
  noteSessionUse(sessionUser: SessionUser, now: Date): void
  spendAttempt(attempt: Attempt): Promise<void>
  /** Counts a request towards the limit of a user. */
  spendOfUser(userId: string): Promise<Spent> | Spent
  devices: KnownDevices
  needsSetUp(): Promise<boolean>
  /** Undefined where the service sends no mail. */
  sendMail: SendMail | undefined
  /** Called when a workspace was deleted: its rows can be wiped. */
  wipeSoon(): void
  changes: Changes
  /** The sessions of the members of a workspace. */
  sessionsIn(workspaceId: string): Promise<ReadonlySet<string>>
  settleConsent(sessionUser: SessionUser, input: unknown, caller: Caller): Promise<string>
  /** Whether sign-in with the password requires a code. */
  asksForCodes(userId: string): Promise<boolean>
  /** The user who has entered the password in this browser and must enter a code. */
  pendingUser(cookie: string | undefined): Promise<string | undefined>
  passkeyHolder(credentialId: string): Promise<string | undefined>
  /** Ways to sign in. */
  site: SignInSite
  /** Which workspaces users of the provider join, and whether signing in there counts as a second factor. */
  provider: { rules: readonly DomainRule[]; strong: boolean } | undefined
}
