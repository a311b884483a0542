import { newComment } from '@kith/contract/comment'
import { resourceIn } from '@kith/contract/resource'
import { addComment } from '../../records/comments/comments.ts'
import { idSchema } from '../record-arguments.ts'
import { adds, callOnce, keySchema, resourceSchema, text, tool } from '../tool.ts'

export const addCommentTool = tool({
  name: 'add_comment',
  title: 'Comment on a record',
  description: 'Adds a comment, which all members see. @[ID] mentions and notifies the member with this ID.',
  annotations: adds,
  abilities: ['create'],
  takes: { resource: resourceSchema, id: idSchema, body: newComment.body },
  may: { reply_to: text('The ID of a comment.'), idempotency_key: keySchema('adds no second comment') },
  run(scope, input) {
    const { resource, id, body, reply_to } = input
    return callOnce(scope, { tool: 'add_comment', input }, async (inside) => {
      const sent = { id, body: { body, ...(reply_to ? { reply_to } : {}) }, issues: [] }
      return { data: await addComment(inside, resourceIn(inside.schema, resource), sent) }
    })
  },
})
