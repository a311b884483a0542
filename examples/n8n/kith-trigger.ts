/**
 * A trigger node in the form of n8n: it starts a workflow when something changes in a Kith workspace.
 *
 * n8n calls `checkExists` and `create` when the workflow is activated, `delete` when it is deactivated, and `webhook`
 * for every request at the address of the workflow. Requests must carry a signature made with the secret
 * of the endpoint; others are refused.
 */
import { KithError, verifyWebhook, WebhookError } from '@kith/sdk'
import { clientOf, type LoadContext, type Option } from './kith.ts'

type StaticData = { webhookId?: string; secret?: string }
type HookContext = LoadContext & {
  getNodeWebhookUrl(name: 'default'): string | undefined
  getNodeParameter(name: 'types'): unknown
  /** What n8n keeps for the node between runs. */
  getWorkflowStaticData(type: 'node'): StaticData
}
type RequestContext = Pick<HookContext, 'getWorkflowStaticData'> & {
  getRequestObject(): { headers: Record<string, string | string[] | undefined>; rawBody: Uint8Array }
}
type Result = { workflowData: { json: object }[][] } | { webhookResponse: { status: number; body: object } }

const kinds = ['all', 'created', 'updated', 'deleted', 'restored', 'merged']

export class KithTrigger {
  description = {
    displayName: 'Kith Trigger',
    name: 'kithTrigger',
    group: ['trigger'],
    version: 1,
    description: 'Starts the workflow when something changes in Kith',
    defaults: { name: 'Kith Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'kithApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook', rawBody: true }],
    properties: [
      {
        displayName: 'Events',
        name: 'types',
        type: 'multiOptions',
        default: ['companies.*'],
        typeOptions: { loadOptionsMethod: 'events' },
      },
    ],
  }

  methods = {
    loadOptions: {
      /** The events of each resource, those that the workspace has made too. */
      async events(this: LoadContext): Promise<Option[]> {
        const { data } = await (await clientOf(this)).schema.list()
        return data.flatMap(({ id, attributes }) =>
          kinds.map((kind) => ({ name: `${attributes.name}: ${kind}`, value: `${id}.${kind === 'all' ? '*' : kind}` })),
        )
      },
    },
  }

  webhookMethods = {
    default: {
      async checkExists(this: HookContext): Promise<boolean> {
        const { webhookId } = this.getWorkflowStaticData('node')
        if (webhookId === undefined) return false
        const found = await unlessMissing((await clientOf(this)).webhooks.read(webhookId))
        // A disabled endpoint is made again.
        return (
          found?.data.attributes.url === this.getNodeWebhookUrl('default') &&
          found?.data.attributes.state !== 'disabled'
        )
      },
      async create(this: HookContext): Promise<boolean> {
        const url = this.getNodeWebhookUrl('default') ?? ''
        // n8n gives a list of values.
        const types = this.getNodeParameter('types') as string[]
        const kith = await clientOf(this)
        const { data } = await kith.webhooks.create({ url, types, description: 'n8n', exclude_own: true })
        Object.assign(this.getWorkflowStaticData('node'), { webhookId: data.id, secret: data.attributes.secret })
        return true
      },
      async delete(this: HookContext): Promise<boolean> {
        const state = this.getWorkflowStaticData('node')
        if (state.webhookId !== undefined) await unlessMissing((await clientOf(this)).webhooks.delete(state.webhookId))
        delete state.webhookId
        delete state.secret
        return true
      },
    },
  }

  async webhook(this: RequestContext): Promise<Result> {
    const { headers, rawBody } = this.getRequestObject()
    const { secret = '' } = this.getWorkflowStaticData('node')
    try {
      const event = await verifyWebhook(headers, rawBody, secret)
      // A test only asks whether anyone is there.
      if (event.type === 'webhook.test') return { webhookResponse: { status: 200, body: { ok: true } } }
      return { workflowData: [[{ json: event }]] }
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      return { webhookResponse: { status: 400, body: { message: error.message } } }
    }
  }
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof KithError && error.kind === 'not_found') return undefined
    throw error
  }
}
