import type { Config } from '../config.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { CLIENT_ADDRESS_HEADER, type Identity, openIdentity } from './identity.ts'

/** What the browser sent about itself. */
export type Caller = { cookie: string | undefined; address: string; user_agent: string | undefined }

/** The endpoints of better-auth. */
type AuthEndpoint = keyof Identity['api']

type Input = { body?: unknown; query?: Readonly<Record<string, string>> }

/** Creates and ends sessions with better-auth. Returns cookies for the browser. */
export type SignIn = {
  /** Passes a request to better-auth. */
  handle(request: Request, clientAddress: string): Promise<Response>
  /** Calls an endpoint. These endpoints are reachable only through the application's routes. */
  ask(endpoint: AuthEndpoint, sent: Input, caller: Caller): Promise<Response>
  /** Starts a session; undefined if email or password is wrong. */
  signIn(credentials: { email: string; password: string }, caller: Caller): Promise<string[] | undefined>
  signOut(caller: Caller): Promise<string[]>
  /** Extends the session. */
  renew(caller: Caller): Promise<string[]>
  /** Changes the password and ends all other sessions; undefined if the current password is wrong. */
  changePassword(
    passwords: { currentPassword: string; newPassword: string },
    caller: Caller,
  ): Promise<string[] | undefined>
}

/** Loads better-auth with the first request. */
export function signInWith(engine: Engine, config: Config, report: (error: unknown) => void): SignIn {
  let opened: Promise<Identity> | undefined
  function identity(): Promise<Identity> {
    opened ??= openIdentity(engine, config, report)
    return opened
  }
  async function ask(endpoint: AuthEndpoint, sent: Input, caller: Caller): Promise<Response> {
    const { api } = await identity()
    // The endpoints take different inputs; each checks its own.
    const call = api[endpoint] as unknown as (input: unknown) => Promise<Response>
    return call({ body: {}, query: {}, ...sent, headers: headersOf(caller), asResponse: true })
  }
  return {
    async handle(request, clientAddress) {
      request.headers.set(CLIENT_ADDRESS_HEADER, clientAddress)
      return (await identity()).handler(request)
    },
    ask,
    signIn: async (body, caller) => cookiesOf(await ask('signInEmail', { body }, caller)),
    signOut: async (caller) => cookiesOf(await ask('signOut', {}, caller)) ?? [],
    renew: async (caller) => cookiesOf(await ask('getSession', {}, caller)) ?? [],
    changePassword: async (passwords, caller) =>
      cookiesOf(await ask('changePassword', { body: { ...passwords, revokeOtherSessions: true } }, caller)),
  }
}

function headersOf({ cookie, address, user_agent }: Caller): Headers {
  const headers = new Headers({ [CLIENT_ADDRESS_HEADER]: address })
  if (cookie !== undefined) headers.set('Cookie', cookie)
  if (user_agent !== undefined) headers.set('User-Agent', user_agent)
  return headers
}

/** Undefined if the request was refused. A status of 500 or more is a bug. */
function cookiesOf(response: Response): string[] | undefined {
  if (response.ok) return response.headers.getSetCookie()
  if (response.status < 500) return undefined
  throw new Error(`better-auth answered with ${response.status}.`)
}
