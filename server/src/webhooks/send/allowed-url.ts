import { isIP } from 'node:net'
import type { Report } from '@kith/contract/issue'
import { WEBHOOK_URL_MAX } from '@kith/contract/limits'
import { type AllowedHosts, isAllowedAddress, isAllowedHost, isPublicAddress, plainHost } from './addresses.ts'

/** What the installation says about the URLs of endpoints. `own` are its own hosts with their ports. */
export type UrlRules = { allow: AllowedHosts; own: readonly string[] }

/** Reads the URL of an endpoint. Names are resolved with each attempt, not here. */
export function parseEndpointUrl(raw: unknown, rules: UrlRules, report: Report): string {
  const url = typeof raw === 'string' && raw.length <= WEBHOOK_URL_MAX ? URL.parse(raw.trim()) : null
  const problem = url ? urlProblem(url, rules) : `must be an https address of at most ${WEBHOOK_URL_MAX} characters.`
  if (problem !== undefined) report('url', `The url ${problem}`)
  return url?.href ?? ''
}

function urlProblem(url: URL, rules: UrlRules): string | undefined {
  const host = plainHost(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayBePlain(rules.allow, host))) {
    return 'must begin with https://. The operator of this installation can allow hosts with http.'
  }
  if (url.href.length > WEBHOOK_URL_MAX) return `must not be longer than ${WEBHOOK_URL_MAX} characters.`
  if (url.username !== '' || url.password !== '') return 'must not contain credentials. Verify the signature instead.'
  if (url.hash !== '' || url.href.endsWith('#')) return 'must not contain a fragment (#…).'
  if (rules.own.includes(hostAndPort(url))) return 'must not be the address of this installation.'
  if (isIP(host) !== 0 && !isPermitted(rules.allow, { host, address: host })) {
    return 'must not be a private, local or reserved address.'
  }
  return undefined
}

/** A name can resolve to an allowed network. Each attempt checks that. */
function mayBePlain(allow: AllowedHosts, host: string): boolean {
  if (isAllowedHost(allow, host)) return true
  return isIP(host) === 0 ? allow.networks.length > 0 : isAllowedAddress(allow, host)
}

/** A host and its port, as the installation's own ones are listed. */
export function hostAndPort(url: URL): string {
  return `${plainHost(url.hostname)}:${portOf(url)}`
}

export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
}

type Target = { host: string; address: string; plain?: boolean }

/** Whether an attempt may go to an address. Without TLS only to what the operator allows. */
export function isPermitted(allow: AllowedHosts, { host, address, plain = false }: Target): boolean {
  if (isAllowedHost(allow, host) || isAllowedAddress(allow, address)) return true
  return !plain && isPublicAddress(address)
}
