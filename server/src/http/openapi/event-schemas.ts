import { storedKinds } from '@kith/contract/changes/change-kind'
import { DELIVERY_MAX_BYTES } from '@kith/contract/limits'
import { changeAttributes, requiredOfChanges } from './change-schemas.ts'
import { changeEventTypes } from './event-operations.ts'
import { sampleIds, sampleTime } from './sample-records.ts'
import { closed, constant, enumOf, is, ref, type Schema, says } from './schema.ts'

const cursor: Schema = says(is.text, 'The position in the changes feed after this event.')

/** What webhooks receive. */
export function eventSchemas(): Record<string, Schema> {
  const timestamp = ref('Timestamp')
  const truncated = {
    type: 'boolean',
    const: true,
    description: `Only where \`record\` is left out because the body would be larger than ${DELIVERY_MAX_BYTES / 1024} KiB.`,
  }
  // Nothing is sent of a snapshot.
  const told = { sequence: { type: 'integer', minimum: 1 }, kind: enumOf([...storedKinds, 'left']) }
  const required = ['id', ...requiredOfChanges, 'cursor']
  return {
    ChangeEvent: closed({
      type: enumOf(changeEventTypes),
      timestamp,
      data: closed({ id: ref('Id'), ...changeAttributes(), ...told, cursor, truncated }, { required }),
    }),
    FeedResetEvent: closed({
      type: constant('feed.reset'),
      timestamp,
      data: closed({
        reason: enumOf(['expired', 'restored']),
        resync: { type: 'string', format: 'uri', description: 'Where to read everything again.' },
        cursor,
      }),
    }),
    WebhookTestEvent: closed({
      type: constant('webhook.test'),
      timestamp,
      data: closed({ endpoint_id: ref('Id') }),
    }),
  }
}

export const sampleEvents = {
  ChangeEvent: {
    type: 'companies.deleted',
    timestamp: sampleTime,
    data: {
      id: sampleIds.notes,
      ...{ sequence: 4711, kind: 'deleted', resource: 'companies', record_id: sampleIds.companies, at: sampleTime },
      ...{ changed: [], merged_into: null, external_ids: {} },
      origin: { source: 'web', actor_id: sampleIds.users, token_id: null, own: false },
      ...{ record: null, cursor: 'WyIwMWtiOHc0ZDVlNmY3ZzhoOWowazFtMm4zcCIsNDcxMV0' },
    },
  },
  FeedResetEvent: {
    type: 'feed.reset',
    timestamp: sampleTime,
    data: {
      reason: 'expired',
      resync: 'http://localhost:3000/api/v1/changes?cursor=start',
      cursor: 'WyIwMWtiOHc0ZDVlNmY3ZzhoOWowazFtMm4zcCIsNDcxMV0',
    },
  },
  WebhookTestEvent: {
    type: 'webhook.test',
    timestamp: sampleTime,
    data: { endpoint_id: sampleIds.opportunities },
  },
}
