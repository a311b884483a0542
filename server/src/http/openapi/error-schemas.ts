import { MATCHES_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { closed, constant, enumOf, is, ref, type Schema, says } from './schema.ts'

const message: Schema = says(is.text, 'What went wrong, in a sentence.')

export const matches: Schema = {
  type: 'array',
  items: ref('Id'),
  minItems: 2,
  maxItems: MATCHES_MAX,
  description: `The records that hold the value, oldest first, at most ${MATCHES_MAX} of them.`,
}

/** The bodies of all errors. */
export function errorSchemas(): Record<string, Schema> {
  return {
    Error: closed({ message }),
    NotFoundError: closed(
      { message, merged_into: ref('MergedInto') },
      { required: ['message'], description: 'The `merged_into` is there if the record was merged into a live one.' },
    ),
    MergedInto: closed({ id: ref('Id'), type: enumOf(resourceNames) }),
    PausedError: closed({
      message,
      upgrade_url: { type: 'string', format: 'uri', description: 'Where the owner can start a subscription.' },
    }),
    ConflictError: { ...closed({ message, matches }), required: ['message'] },
    PreconditionError: {
      ...closed({
        message,
        updated_at: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'When the record was last changed. Null if no record or several records hold the value.',
        },
        matches: { ...matches, minItems: 1 },
      }),
      required: ['message', 'updated_at'],
    },
    ValidationError: closed({
      message: says(is.text, 'The first problem, and how many more there are.'),
      errors: {
        type: 'object',
        description: 'Every problem by the dotted path of what has it, such as `custom_fields.emails.0`.',
        additionalProperties: { type: 'array', items: is.text, minItems: 1 },
        minProperties: 1,
      },
    }),
    SlowError: {
      ...closed({
        message,
        expensive: {
          type: 'array',
          items: is.text,
          description:
            'Which parts of the query are expensive, by path, the most expensive first. Missing where the database was away.',
        },
      }),
      required: ['message'],
    },
    ServerError: closed({
      message: constant('Server Error'),
      request_id: says(is.text, 'The `X-Request-Id` of the request, for the operator of the service.'),
    }),
  }
}
