import { sampleJob } from './job-schemas.ts'
import { sampleMatches, sampleMergeId } from './sample-records.ts'
import { sampleDelivery, sampleWebhook } from './webhook-schemas.ts'

/** Bodies of errors. */
export const errorExamples = {
  Unauthenticated: { message: 'Unauthenticated.' },
  Paused: {
    message: 'The workspace Acme is paused until it has an active subscription.',
    upgrade_url: 'http://localhost:3000/acme/settings/billing',
  },
  Forbidden: { message: 'This access token lacks the "create" ability.' },
  MergeNotFound: { message: `No merge with the ID ${sampleMergeId} exists in this workspace.` },
  JobNotFound: { message: `No job with the ID ${sampleJob.id} exists in this workspace.` },
  FieldNotFound: { message: 'No custom field with the code teir exists for companies. Did you mean tier?' },
  WebhookNotFound: { message: `No webhook with the ID ${sampleWebhook.id} exists in this workspace.` },
  DeliveryNotFound: { message: `No delivery with the ID ${sampleDelivery.id} exists in this workspace.` },
  FileTooLarge: { message: 'The file is larger than 256 MB. Split it into several files.' },
  Gone: {
    message: 'Changes after this position are no longer in the feed.',
    reason: 'expired',
    oldest_at: '2026-08-19T00:00:00.000Z',
    resync: 'http://localhost:3000/api/v1/changes?cursor=start',
  },
  Ambiguous: {
    message: 'More than one record holds this domains value. Merge the duplicates, then retry.',
    matches: sampleMatches,
  },
  KeyBusy: {
    message: 'Another request with this idempotency key is still being carried out. Retry in 1 s.',
  },
  PreconditionFailed: {
    message:
      'The company with the ID 01kb8w4d5e6f7g8h9j0k1m2n3p was last changed at 2026-11-14T09:30:00.125Z, which If-Match does not name. Nothing was written: read the record again, then decide.',
    updated_at: '2026-11-14T09:30:00.125Z',
  },
  TooLarge: { message: 'The request body is too large.' },
  Invalid: {
    message: 'The name field is required. (and 1 more error)',
    errors: {
      name: ['The name field is required.'],
      'custom_fields.emails.0': ['The Emails must be a valid email address, such as ada@example.com.'],
    },
  },
  RateLimited: {
    message: 'Too many requests: the limit of 60 writes per token per minute is reached. Retry in 42 s.',
  },
  ServerError: { message: 'Server Error', request_id: '6f1f7f2e-8d5b-4b0e-9b1a-2f6d3c0a7e55' },
  TooSlow: {
    message:
      'The query took longer than 10 s and was stopped. The most expensive part: filter.$not.name.$contains. No index can answer conditions like these, so all companies are checked. All matches are counted for the exact total. What to change: use fewer $contains conditions under $not; add a condition that an index can answer, such as $eq or $in on a field; page with cursor=true, which needs no total.',
    expensive: ['filter.$not.name.$contains', 'total'],
  },
  Unavailable: { message: 'The database is not available at the moment. Retry shortly.' },
} as const
