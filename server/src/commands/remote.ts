import { type Client, type ClientOptions, createClient, KithError } from '@kith/sdk'
import { BadUsage, type Context, Failure } from './command.ts'

/** The options of commands that call a service over HTTP. */
export const remoteOptions = {
  url: { value: 'URL', about: 'The address of the service, such as https://crm.example.com; or KITH_URL.' },
  token: { value: 'T', about: 'An access token of the workspace; or KITH_TOKEN.' },
} as const

type Remote = { url: string | undefined; token: string | undefined }

/** The client of the service that the options or the environment name. */
export function clientFor(
  values: Remote,
  context: Context,
  more: Pick<ClientOptions, 'signal' | 'retries'> = {},
): Client {
  const { url = context.environment().KITH_URL } = values
  if (!url) throw new BadUsage('The address of the service is missing. Use --url, or set KITH_URL.')
  const token = tokenFor(values, context)
  const given = URL.parse(url)
  if (!given || !['http:', 'https:'].includes(given.protocol)) {
    throw new BadUsage(`--url must be an address such as https://crm.example.com, not ${url}.`)
  }
  return createClient({ url: given.origin + given.pathname, token, ...more })
}

export function tokenFor(values: Pick<Remote, 'token'>, context: Context): string {
  const { token = context.environment().KITH_TOKEN } = values
  if (!token) throw new BadUsage('The access token is missing. Use --token, or set KITH_TOKEN.')
  return token
}

/** Runs calls with the client that the options or the environment name. */
export function withClient<T>(values: Remote, context: Context, work: (client: Client) => Promise<T>): Promise<T> {
  return overHttp(() => work(clientFor(values, context)))
}

/** Runs calls of a client. Turns errors into lines for the user. */
export async function overHttp<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof KithError) throw new Failure(describe(error))
    throw error
  }
}

/** The problems by path, or the message. */
function describe({ message, errors, matches }: KithError): string {
  const lines = Object.entries(errors).flatMap(([path, problems]) => problems.map((one) => `${path}: ${one}`))
  if (lines.length > 0) return lines.join('\n')
  return matches.length === 0 ? message : `${message} IDs: ${matches.join(', ')}.`
}
