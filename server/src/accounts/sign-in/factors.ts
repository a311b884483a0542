import { createHmac } from 'node:crypto'
import { type FactorsAnswer, type SecondFactor, secondFactors } from '@kith/contract/app/factors'
import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import { PASSKEY_NAME_MAX } from '@kith/contract/limits'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../../journal/write.ts'
import { requirePermission } from '../../scope/permissions.ts'
import { readInput } from '../../scope/read-input.ts'
import { inTransaction, type Runtime, type Scope } from '../../scope/scope.ts'
import type { Db, Engine } from '../../storage/engines/engine.ts'
import {
  claimCodeStep,
  codeTable,
  credentialTable,
  deleteFactors,
  deleteOtherSessions,
  deleteTrustedDevices,
  findFactors,
  hasStrongSession,
  loadPasskeys,
  passkeyTable,
  sessionTable,
} from '../../storage/tables/sessions.ts'
import { findWorkspaceBySlug, updateWorkspace } from '../../storage/tables/workspaces.ts'
import { readName } from '../parse-account.ts'
import { requireUser } from '../users.ts'
import { OIDC } from './oidc.ts'
import type { SessionHolder } from './sessions.ts'

/** How a user can sign in. `provider` is the name of the installation's provider, if it has one. */
export async function readFactors(db: Db, asker: SessionHolder, provider: string | null): Promise<FactorsAnswer> {
  const row = await findFactors(db, asker.user_id, asker.session_id)
  if (!row) return refuse({ kind: 'unauthenticated' })
  return {
    has_password: row.passwords > 0,
    totp: Boolean(row.two_factor_enabled),
    passkeys: await loadPasskeys(db, asker.user_id),
    provider: provider === null ? null : { name: provider, connected: row.providers > 0 },
    session_factor: secondFactors.find((one) => one === row.second_factor) ?? null,
  }
}

/**
 * A second factor can only be changed in a session that began with one. Otherwise a stolen password would be enough
 * to replace it.
 */
export function requireStrong({ totp, passkeys, session_factor }: FactorsAnswer): void {
  if (session_factor !== null || (!totp && passkeys.length === 0)) return
  const how = passkeys.length > 0 ? 'with your passkey' : 'with a code of your authenticator app'
  const message = `This session began with a password alone. Sign in ${how} to change how you sign in.`
  refuse({ kind: 'forbidden', message, reason: 'second_factor_unused' })
}

async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const own = await readFactors(db, { user_id: userId, session_id: '' }, null)
  return own.totp || own.passkeys.length > 0 || (await hasStrongSession(db, userId))
}

export function renamePasskey(runtime: Runtime, { user_id }: SessionHolder, sent: { id: string; input: unknown }) {
  const name = readInput(sent.input, (fields) => readName(fields, PASSKEY_NAME_MAX))
  return runtime.engine.transaction(async (inside) => {
    const renamed = await passkeyTable.update(inside, { user_id, id: parseId(sent.id) ?? '' }, { name })
    if (renamed === 0) refuseUnknown(sent.id)
  })
}

export function removePasskey(runtime: Runtime, asker: SessionHolder, sent: string): Promise<void> {
  return runtime.engine.transaction(async (inside) => {
    const own = await readFactors(inside, asker, null)
    requireStrong(own)
    const { user_id } = asker
    if ((await passkeyTable.remove(inside, { user_id, id: parseId(sent) ?? '' })) === 0) refuseUnknown(sent)
    if (own.passkeys.length === 1) await removeFactors(inside, user_id, ['passkey'])
  })
}

const STEP_MS = 30_000

/** better-auth accepts the code before the current one and the one after it, and the clock moves meanwhile. */
const STEPS = [-1, 0, 1, 2]

/**
 * Claims the time step of a code of an authenticator app before better-auth checks it. False if the code, or a later
 * one, was entered before: anyone who saw it could use it again (RFC 6238, 5.2). A wrong code claims nothing.
 */
export async function claimCode(
  { db, single }: Engine,
  secret: string,
  { user_id, code }: { user_id: string; code: string },
): Promise<boolean> {
  const sealed = (await codeTable.find(db, { user_id }))?.secret
  if (sealed === undefined) return true
  const { symmetricDecrypt } = await import('better-auth/crypto')
  const key = await symmetricDecrypt({ key: secret, data: sealed })
  const now = Math.floor(Date.now() / STEP_MS)
  const step = STEPS.map((near) => now + near).find((one) => codeAt(key, one) === code)
  return step === undefined || claimCodeStep(single, user_id, step)
}

/** RFC 4226, 5.3. */
function codeAt(key: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', key).update(counter).digest()
  const bits = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(bits % 1_000_000).padStart(6, '0')
}

/** After codes are disabled: sessions that began with one count as password-only, and no browser is trusted. */
export function removeCodes(runtime: Runtime, { user_id }: SessionHolder): Promise<void> {
  const factors: SecondFactor[] = ['totp', 'recovery_code', 'trusted_device']
  return runtime.engine.transaction(async (inside) => {
    await removeFactors(inside, user_id, factors)
    await deleteTrustedDevices(inside, user_id)
  })
}

/** Disconnects the provider, if the user has another way to sign in. */
export function disconnectProvider(runtime: Runtime, asker: SessionHolder): Promise<void> {
  return runtime.engine.transaction(async (inside) => {
    const own = await readFactors(inside, asker, '')
    requireStrong(own)
    if (!own.has_password && own.passkeys.length === 0) {
      refuseValue('provider', 'You could no longer sign in. Add a passkey or set a password first.')
    }
    await credentialTable.remove(inside, { user_id: asker.user_id, provider_id: OIDC })
    await removeFactors(inside, asker.user_id, ['provider'])
  })
}

/** Sessions that began with a factor that was removed count as sessions without one. */
async function removeFactors(inside: Db, user_id: string, factors: readonly SecondFactor[]): Promise<void> {
  await sessionTable.update(inside, { user_id, second_factor: factors }, { second_factor: null })
}

/** For the operator: removes all second factors and ends all sessions. */
export async function resetFactors(runtime: Runtime, email: string): Promise<{ email: string }> {
  const user = await requireUser(runtime.engine.db, email)
  await runtime.engine.transaction(async (inside) => {
    await deleteFactors(inside, user.id)
    await deleteOtherSessions(inside, user.id, null)
  })
  return { email: user.email }
}

function refuseUnknown(id: string): never {
  return refuse({ kind: 'not_found', message: `You have no passkey with the ID ${excerpt(id)}.` })
}

/** Sets whether members need a second factor. An admin who requires it must have one. */
export function setSecondFactorRule(scope: Scope, input: unknown): Promise<{ required: boolean }> {
  requirePermission(scope, 'manage_workspace')
  const required = readInput(input, (fields) => {
    if (fields.raw('required') === undefined)
      fields.report('required', 'The key required is missing. It must be true or false.')
    return fields.flag('required', false)
  })
  return inTransaction(scope, async (inside) => {
    const { id, slug, name } = inside.workspace
    const before = (await findWorkspaceBySlug(inside.db, slug))?.require_second_factor === 1
    if (required && !(await hasSecondFactor(inside.db, inside.actor.user_id)))
      refuseValue('required', 'Set up a second factor for yourself first, under Settings, Password and sign-in.')
    if (required !== before) {
      await updateWorkspace(inside.db, id, { require_second_factor: required ? 1 : 0 })
      const entry = { action: 'update', resource: 'workspace', record_id: id, name } as const
      await noteWrite(inside, [{ ...entry, changes: [['require_second_factor', before, required]] }])
    }
    return { required }
  })
}
