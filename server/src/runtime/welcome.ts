import type { Config } from '../config.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'

/** How people call the command line, and the token of the set-up link if there are no accounts. */
type Welcome = {
  program: string
  setUpToken: string | undefined
  environment: Readonly<Record<string, string | undefined>>
}

/** What to do next, printed for people when the service has started. The log is separate. */
export function welcome(config: Config, { program, setUpToken, environment }: Welcome): string {
  const { api } = addressesOf(config)
  const kith = [databaseOf(config, environment), program].filter((part) => part !== '').join(' ')
  const steps = setUpToken === undefined ? tokenSteps(api, kith) : firstSteps(config, { api, kith, setUpToken })
  return `\n${steps.join('\n')}\n`
}

/** Where people and programs reach it. */
export function addressesOf({ APP_URL, API_DOMAIN, MCP_DOMAIN }: Config): { api: string; mcp: string } {
  return {
    api: API_DOMAIN ? `https://${API_DOMAIN}/v1` : `${APP_URL}/api/v1`,
    mcp: MCP_DOMAIN ? `https://${MCP_DOMAIN}` : `${APP_URL}/mcp`,
  }
}

const DEFAULT = 'file:./data/kith.db'

/** The setting that printed commands need in another terminal. A password is left out. */
function databaseOf({ DATABASE_URL: url }: Config, { DATABASE_URL_FILE: file }: Welcome['environment']): string {
  if (file) return `DATABASE_URL_FILE=${quoted(file)}`
  if (url === DEFAULT) return ''
  if (!isPostgres(url)) return `DATABASE_URL=${quoted(`file:${sqlitePath(url)}`)}`
  return `DATABASE_URL=${quoted(url.replace(/^(\w+:\/\/[^:/@]*):[^@/]*@/, '$1:PASSWORD@'))}`
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

type First = { api: string; kith: string; setUpToken: string }

function firstSteps({ APP_URL }: Config, { api, kith, setUpToken }: First): string[] {
  return [
    'There are no accounts yet. Open this link in a browser to create the first one and its workspace:',
    '',
    `  ${APP_URL}/set-up?token=${setUpToken}`,
    '',
    'Or create them, and a token, in another terminal in this folder. The first command prints a link to sign in:',
    '',
    `  ${kith} user create --email you@example.com --name "Your Name"`,
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
