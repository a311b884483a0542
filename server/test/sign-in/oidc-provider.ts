import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { whenFileEnds } from '../when-file-ends.ts'

/** What the provider says about a person, by the name they sign in with there. */
export type Person = { email: string; email_verified: boolean; name?: string }

export type TestProvider = {
  /** What the service is started with. */
  env: Readonly<Record<string, string>>
  people: Map<string, Person>
  /** Allows the service, once its address is known. */
  expect(appUrl: string): void
}

const CLIENT = { OIDC_CLIENT_ID: 'kith', OIDC_CLIENT_SECRET: 'a-secret-that-only-tests-know' }

/** A real OpenID provider on loopback, whose people are those of the test. It insists on PKCE. */
export async function startProvider(): Promise<TestProvider> {
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const people = new Map<string, Person>()
  const redirect_uris = ['http://localhost/never']
  const { Provider } = await import('oidc-provider')
  let handle: ReturnType<InstanceType<typeof Provider>['callback']> = () => Promise.resolve()
  const build = () => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.OIDC_CLIENT_ID,
          client_secret: CLIENT.OIDC_CLIENT_SECRET,
          redirect_uris: [...redirect_uris],
          application_type: 'web',
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      pkce: { required: () => true },
      cookies: { keys: ['a key that only tests know'] },
      findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
    })
    handle = provider.callback()
  }
  build()
  whenFileEnds(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    env: { OIDC_ISSUER: issuer, ...CLIENT, OIDC_NAME: 'Acme Login' },
    people,
    expect(appUrl) {
      redirect_uris[0] = `${appUrl}/api/auth/oauth2/callback/oidc`
      build()
    },
  }
}
