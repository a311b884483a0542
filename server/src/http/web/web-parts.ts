import type { Caller, SignIn } from '../../accounts/identify.ts'
import type { KnownDevices } from '../../accounts/known-devices.ts'
import type { Attempt } from '../../accounts/sign-in-limit.ts'
import type { Visit, Visitor } from '../../accounts/visits.ts'
import type { Changes } from '../../changes.ts'
import type { SendMail } from '../../mail.ts'
import type { Spent } from '../../rate-limit.ts'
import type { AppParts } from '../app.ts'

/** What the application's private interface needs beside what all surfaces share. */
export type WebParts = {
  signIn: SignIn
  findVisitor(visit: Visit): Promise<Visitor | undefined>
  noteVisit(visitor: Visitor, now: Date): void
  spendAttempt(attempt: Attempt): Promise<void>
  /** Takes one request from the bucket of a user. */
  spendOfUser(userId: string): Promise<Spent> | Spent
  devices: KnownDevices
  needsSetUp(): Promise<boolean>
  /** Undefined where the service sends no mail. */
  sendMail: SendMail | undefined
  /** A workspace was deleted, and what is left of it can go. */
  wipeSoon(): void
  changes: Changes
  /** The sessions of the members of a workspace. */
  sessionsIn(workspaceId: string): Promise<ReadonlySet<string>>
  settleConsent(userId: string, input: unknown, caller: Caller): Promise<string>
}

/** All that the routes of the application stand on. */
export type Parts = AppParts & { mediaType: string }
