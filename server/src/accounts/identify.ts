import type { Config } from '../config.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { CLIENT_ADDRESS_HEADER, type Identity, openIdentity } from './identity.ts'
import type { PluginEndpoint } from './sign-in/sign-in-plugins.ts'

/** What a browser said about itself. */
export type Caller = { cookie: string | undefined; address: string; user_agent: string | undefined }

export type PluginInput = { body?: unknown; query?: Readonly<Record<string, string>> }

/** Sessions as better-auth makes and ends them. What comes back are cookies for the browser. */
export type SignIn = {
  /** Answers a request in better-auth's own language. */
  handle(request: Request, clientAddress: string): Promise<Response>
  /** Calls one endpoint of the library's plugins. None of them is reachable from outside but through the application's routes. */
  ask(endpoint: PluginEndpoint, sent: PluginInput, caller: Caller): Promise<Response>
  /** Begins a session; undefined when email and password do not belong together. */
  signIn(credentials: { email: string; password: string }, caller: Caller): Promise<string[] | undefined>
  signOut(caller: Caller): Promise<string[]>
  /** Lengthens a session that is used. */
  renew(caller: Caller): Promise<string[]>
  /** Sets another password and ends all other sessions; undefined when the current one is wrong. */
  changePassword(
    passwords: { currentPassword: string; newPassword: string },
    caller: Caller,
  ): Promise<string[] | undefined>
}

/** The library behind it is loaded when the first request comes. */
export function signInWith(engine: Engine, config: Config, report: (error: unknown) => void): SignIn {
  let opened: Promise<Identity> | undefined
  function identity(): Promise<Identity> {
    opened ??= openIdentity(engine, config, report)
    return opened
  }
  return {
    async handle(request, clientAddress) {
      request.headers.set(CLIENT_ADDRESS_HEADER, clientAddress)
      return (await identity()).handler(request)
    },
    async ask(endpoint, sent, caller) {
      const { api } = await identity()
      // The endpoints differ in what they take; each checks what it is given.
      const call = api[endpoint] as unknown as (input: unknown) => Promise<Response>
      return call({ body: {}, query: {}, ...sent, headers: headersOf(caller), asResponse: true })
    },
    async signIn(body, caller) {
      const { api } = await identity()
      return cookiesOf(await api.signInEmail({ body, headers: headersOf(caller), asResponse: true }))
    },
    async signOut(caller) {
      const { api } = await identity()
      return cookiesOf(await api.signOut({ headers: headersOf(caller), asResponse: true })) ?? []
    },
    async renew(caller) {
      const { api } = await identity()
      return cookiesOf(await api.getSession({ headers: headersOf(caller), asResponse: true })) ?? []
    },
    async changePassword(passwords, caller) {
      const { api } = await identity()
      const body = { ...passwords, revokeOtherSessions: true }
      return cookiesOf(await api.changePassword({ body, headers: headersOf(caller), asResponse: true }))
    },
  }
}

function headersOf({ cookie, address, user_agent }: Caller): Headers {
  const headers = new Headers({ [CLIENT_ADDRESS_HEADER]: address })
  if (cookie !== undefined) headers.set('Cookie', cookie)
  if (user_agent !== undefined) headers.set('User-Agent', user_agent)
  return headers
}

/** Undefined when the caller was refused. Anything but that is a fault of ours. */
function cookiesOf(response: Response): string[] | undefined {
  if (response.ok) return response.headers.getSetCookie()
  if (response.status < 500) return undefined
  throw new Error(`Sign-in failed inside with ${response.status}.`)
}
