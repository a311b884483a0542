import { BATCH_BODY_MAX_BYTES, BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import type { Resource, Schema as Resources } from '@kith/contract/resource'
import { named, type Schema } from '@kith/contract/shape'
import { sampleIds, sampleMatches, sampleMergeId, sampleOf } from './sample-records.ts'
import { FAILED, headersNamed, JSON_ONLY, KNOWN, oneOf } from './schema.ts'

/** Every answer that does not succeed, with an example. */
export function refusalParts(resources: Resources): Record<string, Schema> {
  const tooLarge = (most: string) =>
    refusal(`The body is larger than ${most}.`, {
      message: `The request body is too large: at most ${most} are accepted.`,
    })
  const unavailable = { message: 'The database is not available at the moment. Retry shortly.' }
  const changed = {
    message:
      'The company with the ID 01kb8w4d5e6f7g8h9j0k1m2n3p was last changed at 2026-11-14T09:30:00.125Z, which If-Match does not name. Nothing was written: read the record again, then decide.',
    updated_at: '2026-11-14T09:30:00.125Z',
  }
  const conditional = { schema: 'PreconditionError', headers: [...KNOWN, 'ETag'] }
  return {
    Unauthenticated: refusal(
      'The token is missing, wrong, expired or revoked.',
      { message: 'Unauthenticated.' },
      { headers: [] },
    ),
    Paused: refusal(
      'Hosted service only: the workspace is paused until it has an active subscription.',
      {
        message: 'The workspace Acme is paused until it has an active subscription.',
        upgrade_url: 'http://localhost:3000/acme/settings/billing',
      },
      { schema: 'PausedError' },
    ),
    Forbidden: refusal(
      "The token lacks an ability, its user's role does not allow this, or the user is no longer in the workspace.",
      { message: 'This access token lacks the "create" ability.' },
    ),
    KeyBusy: refusal(
      KEY_BUSY,
      { message: 'Another request with this idempotency key is still being carried out. Retry in 1 s.' },
      { headers: [...KNOWN, 'Retry-After'] },
    ),
    AmbiguousOrKeyBusy: refusal(
      `More than one record holds the value (with \`matches\`). Or: ${KEY_BUSY}`,
      {
        message: 'More than one record holds this domains value. Merge the duplicates, then retry.',
        matches: sampleMatches,
      },
      { schema: 'ConflictError', headers: [...KNOWN, 'Retry-After-Unless-Slow'] },
    ),
    NotModified: {
      description: 'Nothing has changed since the version that `If-None-Match` names.',
      headers: headersNamed([...KNOWN, 'ETag']),
    },
    PreconditionFailed: refusal(
      'The record is not in the state that `If-Match` or `If-None-Match` demands. Nothing was written.',
      changed,
      conditional,
    ),
    Gone: refusal(
      'Changes after the cursor are no longer there. Begin again at `resync`.',
      {
        message: 'Changes after this position are no longer in the feed.',
        reason: 'expired',
        oldest_at: '2026-08-19T00:00:00.000Z',
        resync: 'http://localhost:3000/api/v1/changes?cursor=start',
      },
      { schema: 'GoneError' },
    ),
    TooLarge: tooLarge(`${BODY_MAX_BYTES / 1024 / 1024} MiB`),
    BatchTooLarge: tooLarge(`${BATCH_BODY_MAX_BYTES / 1024 / 1024} MiB`),
    QueryTooLarge: tooLarge(`${QUERY_BODY_MAX_BYTES / 1024} KB`),
    Invalid: refusal(
      'The request is invalid. The response lists all problems, and nothing was written.',
      {
        message: 'The name field is required. (and 1 more error)',
        errors: {
          name: ['The name field is required.'],
          'custom_fields.emails.0': ['The Emails value ada@ must be a valid email address, such as ada@example.com.'],
        },
      },
      { schema: 'ValidationError' },
    ),
    RateLimited: refusal(
      'Too many requests.',
      { message: 'Too many requests: the limit of 60 writes per token per minute is reached. Retry in 42 s.' },
      { headers: [...KNOWN, 'Retry-After'] },
    ),
    ServerError: refusal(
      'An internal error.',
      { message: 'Server Error', request_id: '6f1f7f2e-8d5b-4b0e-9b1a-2f6d3c0a7e55' },
      { schema: 'ServerError', headers: FAILED },
    ),
    Unavailable: refusal('The database is away or overloaded.', unavailable, { headers: [...FAILED, 'Retry-After'] }),
    UnavailableOrSlow: refusal(
      'The query took too long, or the database is away or overloaded.',
      {
        message:
          'The query took longer than 10 s and was stopped. The most expensive part: filter.$not.name.$contains. No index can answer conditions like these, so all companies are checked. All matches are counted for the exact total. What to change: use fewer $contains conditions under $not; add a condition that an index can answer, such as $eq or $in on a field; page with cursor=true, which needs no total.',
        expensive: ['filter.$not.name.$contains', 'total'],
      },
      { schema: 'SlowError', headers: [...FAILED, 'Retry-After-Unless-Slow'] },
    ),
    UnavailableOrUnknown: refusal(
      'The database is away or overloaded. Without `Retry-After`, whether the write took place is not known: the same request with the same `Idempotency-Key` settles it.',
      unavailable,
      { headers: [...FAILED, 'Retry-After-Unless-Unknown'] },
    ),
    ResourceNotFound: refusal('The workspace has no such resource, or it is archived.', {
      message: 'No resource has the code projekts. Did you mean projects?',
    }),
    FieldNotFound: refusal('The resource has no such field, or the field no such option.', {
      message: 'No custom field with the code teir exists for companies. Did you mean tier?',
    }),
    FieldChanged: refusal('The field was changed since `If-Match`. Nothing was written.', changed, conditional),
    JobNotFound: refusal('No job that the caller may see has that ID.', missing('job', sampleIds.opportunities)),
    WebhookNotFound: refusal(
      'No webhook that the caller may see has that ID.',
      missing('webhook', sampleIds.opportunities),
    ),
    DeliveryNotFound: refusal('No such webhook or delivery.', missing('delivery', sampleIds.tasks)),
    ImportTooLarge: refusal('The file is larger than the installation allows.', {
      message: 'The file is larger than 256 MB. Split it into several files.',
    }),
    FileTooLarge: refusal('The file is larger than the installation allows.', {
      message: 'The file is too large: at most 25 MB are accepted.',
    }),
    CommentNotFound: refusal(
      'No comment has that ID in the workspace, or its record is deleted.',
      missing('comment', sampleMergeId),
    ),
    FileNotFound: refusal(
      'No file has that ID in the workspace, its record is deleted, or its content is missing.',
      missing('file', sampleMergeId),
    ),
    NotificationNotFound: refusal(
      'The user has no notification with that ID, or its record is deleted.',
      missing('notification', sampleMergeId),
    ),
    RangeNotSatisfiable: refusal(
      'The file is shorter than the range.',
      { message: 'The file has 4711 bytes. The Range must begin before its end.' },
      { headers: [...KNOWN, 'Content-Range'] },
    ),
    ChangeNotFound: refusal('No change has that ID in the workspace.', missing('change', sampleMergeId)),
    MergeNotFound: refusal('No merge has that ID in the workspace.', missing('merge', sampleMergeId)),
    ...Object.fromEntries([...resources.values()].map((one) => [`${oneOf(one)}NotFound`, notFound(one)])),
  }
}

const KEY_BUSY =
  'A request with this `Idempotency-Key` was still being carried out after ten seconds. Nothing was done.'

function refusal(description: string, example: object, { schema = 'Error', headers = KNOWN } = {}): Schema {
  return { description, headers: headersNamed(headers), content: { [JSON_ONLY]: { schema: named(schema), example } } }
}

function missing(one: string, id: string): { message: string } {
  return { message: `No ${one} with the ID ${id} exists in this workspace.` }
}

function notFound(resource: Resource): Schema {
  const { one, type } = resource
  const { id } = sampleOf(resource)
  const example = { ...missing(one, id), merged_into: { id, type } }
  return refusal(`No ${one} has that ID in the workspace.`, example, { schema: 'NotFoundError' })
}
