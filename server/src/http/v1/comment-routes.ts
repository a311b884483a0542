import { RESTORE_DAYS } from '@kith/contract/limits'
import { noContent, type OperationText, success, written } from '../openapi/schema.ts'
import { always, read, updates, type V1Route, write } from './record-routes.ts'

/** The comments on all records. They are listed and added below their record. */
export function commentRoutes(): V1Route[] {
  const one = '/comments/:id'
  return [
    { method: 'GET', path: one, handler: 'comment', ...read, lane: always('short') },
    ...updates({ path: one, handler: 'update-comment', ...write, abilities: ['update'] }),
    { method: 'DELETE', path: one, handler: 'delete-comment', ...write, abilities: ['delete'] },
    { method: 'PUT', path: `${one}/restore`, handler: 'restore-comment', ...write, abilities: ['update'] },
  ]
}

export const commentTexts = {
  comment: {
    operationId: 'readComment',
    summary: 'Read a comment',
    says: 'The comments on a deleted record are not found until it is restored.',
    answers: { 200: success('The comment.', 'CommentDocument') },
  },
  'update-comment': {
    operationId: 'updateComment',
    summary: 'Edit a comment',
    says: 'Only its author can. Only the body can be changed. PUT and PATCH are the same. The attributes of a comment can be sent back as they were read. A mention of a former member can stay, but cannot be added.',
    body: 'CommentUpdate',
    answers: { 200: written('The comment.', 'CommentDocument') },
  },
  'delete-comment': {
    operationId: 'deleteComment',
    summary: 'Delete a comment',
    says: `Its author, admins and owners can. Replies to it stay. The comment can be restored for ${RESTORE_DAYS} days.`,
    answers: { 204: noContent('It is deleted.') },
  },
  'restore-comment': {
    operationId: 'restoreComment',
    summary: 'Restore a comment',
    says: `Restores a deleted comment, for ${RESTORE_DAYS} days after its deletion. Its author, admins and owners can. One that is not deleted stays as it is.`,
    answers: { 200: written('The comment.', 'CommentDocument') },
  },
} satisfies Record<string, OperationText>
