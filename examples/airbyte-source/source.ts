/**
 * An Airbyte source for a Kith workspace: it reads the changes feed, so that each sync reads only what has changed, and
 * deletions arrive as well.
 *
 *   node source.ts spec
 *   node source.ts check --config config.json
 *   node source.ts discover --config config.json
 *   node source.ts read --config config.json --catalog catalog.json [--state state.json]
 *
 * The configuration is `{"url": "https://crm.example.com", "token": "kith_…"}`. The token needs the ability `read`.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Client, createClient, ExpiredError } from '@kith/sdk'

type Config = { url: string; token: string }
type Print = (message: object) => void
type ConfiguredCatalog = { streams: { stream: { name: string } }[] }
/** One cursor for all streams: the feed has one order. `streams` says which of them it was read for. */
type SharedState = { cursor: string; streams: string[] }

/** Columns that Airbyte gives to sources that report deletions. */
const CDC_COLUMNS = {
  _ab_cdc_updated_at: { type: 'string', format: 'date-time' },
  _ab_cdc_deleted_at: { type: ['string', 'null'], format: 'date-time' },
}

/** Runs one command of the protocol, and returns the exit code. */
export async function run(args: string[], print: Print): Promise<number> {
  const options = { config: { type: 'string' }, catalog: { type: 'string' }, state: { type: 'string' } } as const
  const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
  const [command] = positionals
  if (command === 'spec') {
    print({ type: 'SPEC', spec: { supportsIncremental: true, connectionSpecification: connection } })
    return 0
  }
  const config = load<Config>(values.config)
  if (command === 'check') return check(config, print)
  const kith = createClient({ url: config.url, token: config.token })
  if (command === 'discover') return discover(kith, print)
  if (command === 'read') return read(kith, { ...values, print })
  throw new Error('The command must be spec, check, discover or read.')
}

const connection = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Kith',
  type: 'object',
  required: ['url', 'token'],
  properties: {
    url: { type: 'string', title: 'Address', examples: ['https://crm.example.com'] },
    token: { type: 'string', title: 'Access token', airbyte_secret: true },
  },
}

async function check({ url, token }: Config, print: Print): Promise<number> {
  try {
    await createClient({ url, token }).token()
    print({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    print({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'FAILED', message } })
  }
  return 0
}

/** A stream for each resource, those that the workspace has made too, with the columns of its own JSON Schema. */
async function discover(kith: Client, print: Print): Promise<number> {
  const streams = await Promise.all(
    (await streamsOf(kith)).map(async (name) => ({
      name,
      json_schema: columnsOf(await kith.schema.jsonSchema(name)),
      supported_sync_modes: ['full_refresh', 'incremental'],
      source_defined_cursor: true,
      default_cursor_field: ['_ab_cdc_updated_at'],
      source_defined_primary_key: [['id']],
    })),
  )
  print({ type: 'CATALOG', catalog: { streams } })
  return 0
}

async function streamsOf(kith: Client): Promise<string[]> {
  return (await kith.schema.list()).data.map(({ id }) => id)
}

type ObjectSchema = { properties: Record<string, unknown> }

/** A row has the id, the attributes and the relationships of a record. */
function columnsOf(schema: Readonly<Record<string, unknown>>): object {
  const { id, attributes, relationships } = (schema as ObjectSchema).properties
  const own = { id, ...(attributes as ObjectSchema).properties }
  // The values of a record that is gone are not known.
  const nullable = Object.fromEntries(
    Object.entries(own).map(([name, one]) => [name, name === 'id' ? one : orNull(one)]),
  )
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { ...nullable, ...(relationships ? { relationships: orNull(relationships) } : {}), ...CDC_COLUMNS },
  }
}

function orNull(schema: unknown): object {
  return { anyOf: [schema, { type: 'null' }] }
}

type Reading = { catalog?: string | undefined; state?: string | undefined; print: Print }

async function read(kith: Client, { catalog, state, print }: Reading): Promise<number> {
  const wanted = load<ConfiguredCatalog>(catalog).streams.map(({ stream }) => stream.name)
  const streams = (await streamsOf(kith)).filter((name) => wanted.includes(name))
  const known = state === undefined ? undefined : sharedStateIn(load(state))
  // A stream that was added has no rows yet, so that everything is read again.
  const isSame = known?.streams.join() === streams.join()
  const follower = kith.changes.follow({
    from: isSame && known ? known.cursor : 'start',
    resources: streams,
    once: true,
  })
  try {
    for await (const { data, meta } of follower.pages()) {
      for (const { attributes } of data) {
        const { resource, record_id, record, at } = attributes
        const row = record ? { id: record.id, ...record.attributes, ...relationshipsOf(record) } : { id: record_id }
        const cdc = { _ab_cdc_updated_at: at, _ab_cdc_deleted_at: record ? null : at }
        print({ type: 'RECORD', record: { stream: resource, data: { ...row, ...cdc }, emitted_at: Date.now() } })
      }
      const shared_state: SharedState = { cursor: meta.next_cursor, streams }
      print({ type: 'STATE', state: { type: 'GLOBAL', global: { shared_state, stream_states: [] } } })
    }
  } catch (error) {
    if (!(error instanceof ExpiredError)) throw error
    // What was deleted meanwhile is not known any more: only a reset of the destination is right.
    const told = {
      message: `${error.message} Reset the connection to read everything again.`,
      failure_type: 'config_error',
    }
    print({ type: 'TRACE', trace: { type: 'ERROR', emitted_at: Date.now(), error: told } })
    return 1
  }
  return 0
}

function relationshipsOf(record: object): object {
  return 'relationships' in record ? { relationships: record.relationships } : {}
}

/** The last state message, as Airbyte passes it: a list of one, or the state itself. */
function sharedStateIn(state: unknown): SharedState | undefined {
  const [one] = Array.isArray(state) ? state : [state]
  return one?.global?.shared_state
}

function load<T>(path: string | undefined): T {
  if (path === undefined) throw new Error('A file is missing: --config, and --catalog for read.')
  return JSON.parse(readFileSync(path, 'utf8'))
}

if (import.meta.main) {
  process.on('uncaughtException', ({ message }) => {
    console.error(message)
    process.exit(1)
  })
  process.exitCode = await run(process.argv.slice(2), (message) => console.log(JSON.stringify(message)))
}
