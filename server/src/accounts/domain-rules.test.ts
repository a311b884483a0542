import { expect, it } from 'vitest'
import { parseDomainRules, rulesFor } from './domain-rules.ts'

it('domains are given workspaces and roles, member unless another is named', () => {
  expect(parseDomainRules('Acme.com=acme:admin, example.org=acme-2')).toEqual([
    { domain: 'acme.com', slug: 'acme', role: 'admin' },
    { domain: 'example.org', slug: 'acme-2', role: 'member' },
  ])
})

it.each(['acme.com', 'acme.com=acme:owner', 'acme.com=acme:king', '=acme', 'acme.com=', 'a b=acme', 'acme.com=acme,'])(
  '%j is not accepted',
  (text) => {
    expect(parseDomainRules(text)).toBeUndefined()
  },
)

it('a rule is for its domain alone', () => {
  const rules = parseDomainRules('acme.com=acme') ?? []
  expect(rulesFor(rules, 'ada@ACME.com')).toHaveLength(1)
  for (const email of ['ada@evil-acme.com', 'ada@sub.acme.com', 'acme.com', 'a@acme.com@evil.com']) {
    expect(rulesFor(rules, email), email).toEqual([])
  }
})
