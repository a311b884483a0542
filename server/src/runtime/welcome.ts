import type { Config } from '../config.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'

/** The name of the command-line program, the port, and the token of the set-up link if there are no accounts. */
type Welcome = {
  program: string
  port: number
  setUpToken: string | undefined
  environment: Readonly<Record<string, string | undefined>>
}

/** The next steps, printed for people when the service has started. The log is separate. */
export function welcome(config: Config, { program, port, setUpToken, environment }: Welcome): string {
  const api = `http://${hostOf(config)}:${port}/api/v1`
  const kith = [databaseOf(config, environment), program].filter((part) => part !== '').join(' ')
  const steps = setUpToken === undefined ? tokenSteps(api, kith) : firstSteps(config, { api, kith, setUpToken })
  return `\n${steps.join('\n')}\n`
}

/** Commands run on this machine, where the service answers even if DNS and the proxy do not work yet. */
function hostOf({ HOST }: Config): string {
  if (HOST === '0.0.0.0' || HOST === '::') return 'localhost'
  return HOST.includes(':') ? `[${HOST}]` : HOST
}

/** The addresses for people and programs. */
export function addressesOf({ APP_URL, API_DOMAIN, MCP_DOMAIN }: Config): { api: string; mcp: string } {
  return {
    api: API_DOMAIN ? `https://${API_DOMAIN}/v1` : `${APP_URL}/api/v1`,
    mcp: MCP_DOMAIN ? `https://${MCP_DOMAIN}` : `${APP_URL}/mcp`,
  }
}

const DEFAULT = 'file:./data/kith.db'
const DEFAULT_URL = 'http://localhost:3000'

/** The setting that printed commands need in another terminal. A password is omitted. */
function databaseOf({ DATABASE_URL: url }: Config, { DATABASE_URL_FILE: file }: Welcome['environment']): string {
  if (file) return `DATABASE_URL_FILE=${quoted(file)}`
  if (url === DEFAULT) return ''
  if (!isPostgres(url)) return `DATABASE_URL=${quoted(`file:${sqlitePath(url)}`)}`
  return `DATABASE_URL=${quoted(url.replace(/^(\w+:\/\/[^:/@]*):[^@/]*@/, '$1:PASSWORD@'))}`
}

/** Quoted for a shell. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function firstSteps(
  { APP_URL }: Config,
  { api, kith, setUpToken }: { api: string; kith: string; setUpToken: string },
): string[] {
  // The command prints a link to this address.
  const linking = APP_URL === DEFAULT_URL ? kith : `APP_URL=${APP_URL} ${kith}`
  return [
    'There are no accounts yet. Open this link in a browser to create the first one and its workspace:',
    '',
    `  ${APP_URL}/set-up?token=${setUpToken}`,
    '',
    'Or create them, and a token, in another terminal in this folder. The first command prints a link to sign in:',
    '',
    `  ${linking} user create --email you@example.com --name "Your Name"`,
    `  ${kith} workspace create --name "My company" --slug my-company --owner you@example.com`,
    `  ${newToken(kith, 'my-company', 'you@example.com')}`,
    '',
    'Then create a company and list all companies:',
    '',
    ...examples(api),
  ]
}

function tokenSteps(api: string, kith: string): string[] {
  return [
    `Get a token (${kith} workspace list shows the workspaces):`,
    '',
    `  ${newToken(kith, 'SLUG', 'EMAIL')}`,
    '',
    'Then:',
    '',
    ...examples(api),
  ]
}

function newToken(kith: string, workspace: string, user: string): string {
  const options = `--workspace ${workspace} --user ${user} --name first`
  return `TOKEN=$(${kith} token create ${options} --abilities read,create,update,delete)`
}

function examples(api: string): string[] {
  const bearer = '-H "Authorization: Bearer $TOKEN"'
  return [
    `  curl -X POST ${api}/companies ${bearer} -H "Content-Type: application/json" -d '{"name": "Acme"}'`,
    `  curl ${api}/companies ${bearer}`,
    '',
  ]
}
