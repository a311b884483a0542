import { callForData } from './call.ts'

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

type Asking = { mediation?: CredentialMediationRequirement; signal?: AbortSignal }

export async function signInWithPasskey({ mediation, signal }: Asking = {}): Promise<void> {
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
  throw new Error('The browser gave no passkey.')
}

/** What browsers say about a passkey is for programmers. */
async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof DOMException) || error.name === 'AbortError') throw error
    if (error.name === 'NotAllowedError') throw new Error('Nothing was done: it was cancelled or took too long.')
    if (error.name === 'InvalidStateError') throw new Error('This device already has a passkey for your account.')
    if (error.name === 'SecurityError')
      throw new Error('Passkeys work only at the configured address of this installation, over https.')
    throw new Error(`The browser could not use a passkey (${error.name}).`)
  }
}
