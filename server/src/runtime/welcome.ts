import type { Config } from '../config.ts'

/** What to do next, printed when the service has started. */
export function welcome(config: Config, setUpToken: string | undefined): string {
  const api = config.API_DOMAIN ? `https://${config.API_DOMAIN}/v1` : `${config.APP_URL}/api/v1`
  const mcp = config.MCP_DOMAIN ? `https://${config.MCP_DOMAIN}` : `${config.APP_URL}/mcp`
  const steps =
    setUpToken === undefined ? tokenSteps(api) : firstSteps(api, `${config.APP_URL}/set-up?token=${setUpToken}`)
  const lines = [`Kith is running at ${config.APP_URL}`, `The API is at ${api}`, `The MCP server is at ${mcp}`, '']
  return `${[...lines, ...steps].join('\n')}\n`
}

function firstSteps(api: string, setUp: string): string[] {
  return [
    'There are no accounts yet. Open this link in a browser to create the first one and its workspace:',
    '',
    `  ${setUp}`,
    '',
    'Or create them, and a token, in another terminal in this folder:',
    '',
    '  npx kith user create --email you@example.com --name "Your Name"',
    '  npx kith workspace create --name "My company" --slug my-company --owner you@example.com',
    `  ${newToken('my-company', 'you@example.com', 'first')}`,
    '',
    'Then create a company and list all companies:',
    '',
    ...examples(api),
  ]
}

function tokenSteps(api: string): string[] {
  return [
    'Get a token (npx kith workspace list shows the workspaces):',
    '',
    `  ${newToken('SLUG', 'EMAIL', 'NAME')}`,
    '',
    'Then:',
    '',
    ...examples(api),
  ]
}

function newToken(workspace: string, user: string, name: string): string {
  const options = `--workspace ${workspace} --user ${user} --name ${name}`
  return `TOKEN=$(npx kith token create ${options} --abilities read,create,update,delete)`
}

function examples(api: string): string[] {
  const bearer = '-H "Authorization: Bearer $TOKEN"'
  return [
    `  curl -X POST ${api}/companies ${bearer} -H "Content-Type: application/json" -d '{"name": "Acme"}'`,
    `  curl ${api}/companies ${bearer}`,
    '',
  ]
}
