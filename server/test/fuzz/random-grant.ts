import type { Chance } from '../../src/sample/chance.ts'
import { RETURNS_TO } from '../oauth-person.ts'
import type { World } from './fuzzed-world.ts'
import { nastyJson, nastyName, nastyText } from './nasty.ts'
import type { Part } from './random-part.ts'
import { encoded } from './random-query.ts'

/** What programs ask that people let in, and what the page asks on which they do. */
export function oauthPart(chance: Chance, world: World): Part {
  const kind = chance.below(12)
  if (kind <= 1) return metadataPart(chance)
  if (kind <= 4) return { ...at('POST', 'register'), body: () => clientMetadata(chance) }
  if (kind <= 6) return { ...at('GET', 'authorize'), query: authorization(chance, world) }
  if (kind <= 8) return { ...at('POST', 'token'), form: true, body: () => tokenForm(chance, world) }
  if (kind === 9) return { ...at('POST', 'revoke'), form: true, body: () => revocation(chance, world) }
  if (kind === 10) return { ...at(chance.pick(['GET', 'POST']), chance.pick(NO_ENDPOINTS)) }
  return consentPart(chance, world)
}

function at(method: string, endpoint: string): Part {
  return { door: 'oauth', method, path: `/api/auth/oauth2/${endpoint}`, resource: null, body: () => '{}' }
}

const NO_ENDPOINTS = [
  'consent',
  'introspect',
  'userinfo',
  'end-session',
  'continue',
  'create-client',
  'get-clients',
  '',
  'token/',
  'token/x',
  '%2e%2e/sign-in/email',
  '..%2fsign-up%2femail',
  '__proto__',
  'a%00b',
  '%zz',
]

function metadataPart(chance: Chance): Part {
  const name = chance.pick(['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'])
  const suffix = chance.oneIn(4) ? `/${encoded(nastyText(chance))}` : chance.pick(['', '/mcp', '/api/auth'])
  return { ...at('GET', ''), path: `/.well-known/${name}${suffix}` }
}

/** Each key as it should be most of the time, otherwise anything. */
function some(chance: Chance, good: Readonly<Record<string, readonly unknown[]>>): [string, string][] {
  const pairs = Object.entries(good)
    .filter(() => !chance.oneIn(6))
    .map(([key, values]): [string, string] => [
      key,
      chance.oneIn(6) ? nastyJson(chance) : JSON.stringify(chance.pick(values)),
    ])
  if (chance.oneIn(8)) pairs.push([nastyName(chance), nastyJson(chance)])
  if (chance.oneIn(12)) pairs.push(...pairs.slice(0, 1))
  return pairs
}

const ADDRESSES = [
  RETURNS_TO,
  'https://x.example/back',
  'http://x.example/',
  'javascript:alert(1)',
  'com.example.app:/back',
  'https://x.example/#part',
  'http://localhost',
  'https://user:pass@x.example',
  '//x',
  '',
  'https://[::1]:99999/',
]

function clientMetadata(chance: Chance): string {
  const pairs = some(chance, {
    client_name: ['Assistant', '', 'x'.repeat(5000), '<script>'],
    redirect_uris: [[RETURNS_TO], ADDRESSES, [], [chance.pick(ADDRESSES)], RETURNS_TO],
    grant_types: [['authorization_code'], ['authorization_code', 'refresh_token'], ['client_credentials'], []],
    response_types: [['code'], ['token'], []],
    token_endpoint_auth_method: ['none', 'client_secret_basic', 'private_key_jwt', 'x'],
    scope: ['read create', 'openid', '', 'x'.repeat(3000)],
    ...(chance.oneIn(2) ? extraMetadata(chance) : {}),
  })
  return `{${pairs.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
}

function extraMetadata(chance: Chance): Readonly<Record<string, readonly unknown[]>> {
  const address = chance.pick(ADDRESSES)
  return {
    client_uri: [address],
    logo_uri: [address],
    tos_uri: [address],
    policy_uri: [address],
    post_logout_redirect_uris: [[address], address],
    contacts: [['a@b.example'], [], 'a@b.example'],
    jwks_uri: [address],
    jwks: [{ keys: [] }, [], 'x'],
    software_id: ['x', 5],
    software_statement: ['e30.e30.'],
    type: ['web', 'native', 'user-agent-based', 'x'],
    subject_type: ['public', 'pairwise'],
    skip_consent: [true],
    require_pkce: [false],
    client_id: ['mine'],
    user_id: ['mine'],
    metadata: [{ a: 1 }, 'x'],
  }
}

/** A form or a query: the same pairs, with other signs between them. */
function encodedForm(chance: Chance, good: Readonly<Record<string, readonly unknown[]>>): string {
  return some(chance, good)
    .map(([key, text]) => `${encoded(key)}=${encoded(text.startsWith('"') ? unquoted(text) : text)}`)
    .join('&')
}

function unquoted(text: string): string {
  return String(JSON.parse(text))
}

function authorization(chance: Chance, { oauth }: World): string {
  return encodedForm(chance, {
    response_type: ['code', 'code', 'code', 'token', 'code id_token'],
    client_id: [oauth.client_id, oauth.client_id, oauth.client_id, 'unknown', ''],
    redirect_uri: [RETURNS_TO, RETURNS_TO, RETURNS_TO, ...ADDRESSES],
    scope: ['read', 'read create update delete offline_access', 'openid', nastyText(chance)],
    state: ['xyz', nastyText(chance)],
    code_challenge: [oauth.challenge, oauth.challenge, 'x', ''],
    code_challenge_method: ['S256', 'S256', 'plain', 'x'],
    ...(chance.oneIn(3)
      ? {
          resource: [oauth.resource, 'https://other.example', nastyText(chance)],
          prompt: ['none', 'consent', 'login', 'select_account', 'x'],
          max_age: ['0', '-1', 'x'],
          request_uri: ['https://x.example/', 'urn:x'],
          request: ['e30.e30.'],
          nonce: [nastyText(chance)],
        }
      : {}),
  })
}

function tokenForm(chance: Chance, { oauth }: World): string {
  return encodedForm(chance, {
    grant_type: ['authorization_code', 'refresh_token', 'client_credentials', 'password', ''],
    client_id: [oauth.client_id, oauth.client_id, 'unknown', ''],
    code: [oauth.code, nastyText(chance)],
    redirect_uri: [RETURNS_TO, ...ADDRESSES],
    code_verifier: [oauth.verifier, nastyText(chance)],
    refresh_token: [oauth.refresh_token, nastyText(chance)],
    ...(chance.oneIn(3)
      ? { scope: ['read', 'x'], client_secret: ['x'], resource: [oauth.resource, 'x'], client_assertion: ['e30.e30.'] }
      : {}),
  })
}

function revocation(chance: Chance, { oauth }: World): string {
  return encodedForm(chance, {
    token: [nastyText(chance), oauth.code, 'x'.repeat(3000)],
    token_type_hint: ['access_token', 'refresh_token', 'x'],
    client_id: [oauth.client_id, 'unknown', ''],
  })
}

function consentPart(chance: Chance, { oauth, slug }: World): Part {
  const query = chance.pick([oauth.page, oauth.page, oauth.page.slice(0, -3), nastyText(chance).toWellFormed(), ''])
  const body = () => {
    const pairs = some(chance, {
      query: [query],
      accept: [true, false],
      workspace: [slug, 'other'],
      abilities: [['read'], ['read', 'create'], [], ['__proto__']],
    })
    return `{${pairs.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
  }
  const place = { door: 'app', path: '/api/app/oauth/consent', resource: null, body } as const
  return chance.oneIn(2) ? { ...place, method: 'POST' } : { ...place, method: 'GET', query: encodedQuery(query) }
}

/** As a browser would write it: nothing that is no part of an address. */
function encodedQuery(query: string): string {
  return query.replace(/[^!-~]/gu, encodeURIComponent)
}
