import type { FactorsAnswer, SignInAnswer, TotpSetUp } from '@kith/contract/app/factors'
import { queryOptions } from '@tanstack/react-query'
import { callForData } from './call.ts'

/** Ways to sign in other than a password. */

export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => callForData<FactorsAnswer>('GET', '/factors', { signal }),
})

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
