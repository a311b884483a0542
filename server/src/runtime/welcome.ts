import type { Config } from '../config.ts'

/** What to do next, printed when the service has started. */
export function welcome(config: Config, setUpToken: string | undefined): string {
  const api = config.API_DOMAIN ? `https://${config.API_DOMAIN}/v1` : `${config.APP_URL}/api/v1`
  const tools = config.MCP_DOMAIN ? `https://${config.MCP_DOMAIN}` : `${config.APP_URL}/mcp`
  const lines = [`Kith is running at ${config.APP_URL}`, `The API is at ${api}`, `The tool server is at ${tools}`, '']
  return `${[...lines, ...(setUpToken === undefined ? tokenSteps(api) : firstSteps(api, `${config.APP_URL}/set-up?token=${setUpToken}`))].join('\n')}\n`
}

function firstSteps(api: string, setUp: string): string[] {
  return [
    'Nobody has an account yet. Open this link in a browser to make the first one and its workspace:',
    '',
    `  ${setUp}`,
    '',
    'Or make them, and a token, in another terminal in this folder:',
    '',
    '  npx kith user create --email you@example.com --name "Your Name"',
    '  npx kith workspace create --name "My company" --slug my-company --owner you@example.com',
    '  TOKEN=$(npx kith token create --workspace my-company --user you@example.com --name first --abilities read,create,update,delete)',
    '',
    'Then create a company and list what is there:',
    '',
    ...examples(api),
  ]
}

function tokenSteps(api: string): string[] {
  return [
    'Get a token (npx kith workspace list shows the workspaces):',
    '',
    '  TOKEN=$(npx kith token create --workspace SLUG --user EMAIL --name NAME --abilities read,create,update,delete)',
    '',
    'Then:',
    '',
    ...examples(api),
  ]
}

function examples(api: string): string[] {
  return [
    `  curl -X POST ${api}/companies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"name": "Acme"}'`,
    `  curl ${api}/companies -H "Authorization: Bearer $TOKEN"`,
    '',
  ]
}
