import { type Role, roles } from '@kith/contract/abilities'

/** Users with a verified address at this domain join this workspace at their first sign-in with the provider. */
export type DomainRule = { domain: string; slug: string; role: Role }

/** Reads `example.com=acme:member, example.org=acme:viewer`. The role owner is not accepted. */
export function parseDomainRules(text: string): DomainRule[] | undefined {
  const rules = text.split(',').map((rule) => parseRule(rule.trim().toLowerCase()))
  return rules.every((rule) => rule !== undefined) ? rules : undefined
}

function parseRule(text: string): DomainRule | undefined {
  const { domain, slug, role: named = 'member' } = RULE.exec(text)?.groups ?? {}
  const role = roles.find((known) => known === named && known !== 'owner')
  return domain === undefined || slug === undefined || role === undefined ? undefined : { domain, slug, role }
}

const RULE = /^(?<domain>[a-z0-9][a-z0-9.-]{0,252})=(?<slug>[a-z0-9][a-z0-9-]{0,62})(:(?<role>[a-z]{1,10}))?$/

/** The rules for an email address. */
export function rulesFor(rules: readonly DomainRule[], email: string): DomainRule[] {
  const at = email.lastIndexOf('@')
  const domain = at === -1 ? '' : email.slice(at + 1).toLowerCase()
  return rules.filter((rule) => rule.domain === domain)
}
