import type { FactorsAnswer, SignInAnswer, TotpSetUp } from '@kith/contract/app/factors'
import { callForData, dataQuery } from './call.ts'

/** Ways to sign in other than a password. */

export const factorsQuery = dataQuery<FactorsAnswer>(['factors'], '/factors')

export function signIn(input: { email: string; password: string }): Promise<SignInAnswer> {
  return callForData('POST', '/sign-in', { body: input })
}

/** The second step: a code of the app, or a recovery code. */
export function sendCode(input: { code: string; trust_device: boolean }): Promise<unknown> {
  return callForData('POST', '/sign-in/code', { body: input })
}

/** The address at the provider to which the browser goes. */
export function signInAtProvider(next: string): Promise<{ url: string }> {
  return callForData('POST', '/sign-in/provider', { body: { next } })
}

export function connectProvider(back: string): Promise<{ url: string }> {
  return callForData('POST', '/factors/provider', { body: { back } })
}

export function disconnectProvider(): Promise<unknown> {
  return callForData('DELETE', '/factors/provider')
}

export function setUpTotp(password: string): Promise<TotpSetUp> {
  return callForData('POST', '/factors/totp', { body: { password } })
}

export function confirmTotp(code: string): Promise<unknown> {
  return callForData('POST', '/factors/totp/confirm', { body: { code } })
}

export function switchOffTotp(password: string): Promise<unknown> {
  return callForData('POST', '/factors/totp/off', { body: { password } })
}

export function newRecoveryCodes(password: string): Promise<{ recovery_codes: string[] }> {
  return callForData('POST', '/factors/totp/recovery-codes', { body: { password } })
}

export function renamePasskey({ id, name }: { id: string; name: string }): Promise<unknown> {
  return callForData('PATCH', `/factors/passkeys/${id}`, { body: { name } })
}

export function removePasskey(id: string): Promise<unknown> {
  return callForData('DELETE', `/factors/passkeys/${id}`)
}

/** Whether this browser, at this address, can make and use passkeys. Only pages over https or on localhost may. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential !== 'undefined' && 'parseCreationOptionsFromJSON' in PublicKeyCredential
}

/** Whether the browser offers passkeys among the suggestions for a field. */
export async function suggestsPasskeys(): Promise<boolean> {
  return hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable())
}

/** Makes a passkey on this device, or on one that the browser asks for. */
export async function addPasskey(name: string): Promise<void> {
  const options = await callForData<PublicKeyCredentialCreationOptionsJSON>('POST', '/factors/passkeys/options', {
    body: {},
  })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const made = await inWords(navigator.credentials.create({ publicKey }))
  await callForData('POST', '/factors/passkeys', { body: { name, response: jsonOf(made) } })
}

export async function signInWithPasskey({
  mediation,
  signal,
}: {
  mediation?: CredentialMediationRequirement
  signal?: AbortSignal
} = {}): Promise<void> {
  const options = await callForData<PublicKeyCredentialRequestOptionsJSON>('POST', '/sign-in/passkey/options', {
    body: {},
    signal,
  })
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const given = await inWords(navigator.credentials.get({ publicKey, mediation, signal }))
  await callForData('POST', '/sign-in/passkey', { body: { response: jsonOf(given) } })
}

function jsonOf(credential: Credential | null): unknown {
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new Error('The browser returned no passkey.')
}

/** Replaces the browser's messages about passkeys, which are written for programmers. */
async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof DOMException) || error.name === 'AbortError') throw error
    if (error.name === 'NotAllowedError') throw new Error('No passkey was used: it was cancelled or took too long.')
    if (error.name === 'InvalidStateError') throw new Error('This device already has a passkey for your account.')
    if (error.name === 'SecurityError')
      throw new Error('Passkeys work only at the configured address of this installation, over https.')
    throw new Error(`The browser could not use a passkey (${error.name}).`)
  }
}
