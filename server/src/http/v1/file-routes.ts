import { RESTORE_DAYS } from '@kith/contract/limits'
import { answerOf, bytesBody, noContent, type OperationText, success, written } from '../openapi/schema.ts'
import { always, read, updates, type V1Route, write } from './record-routes.ts'

/** The files of all records. They are listed and added below their record. */
export function fileRoutes(): V1Route[] {
  const one = '/files/:id'
  return [
    { method: 'GET', path: one, handler: 'file', ...read, lane: always('short') },
    {
      method: 'GET',
      path: `${one}/content`,
      handler: 'file-content',
      ...read,
      lane: always('short'),
      follows: 'content',
    },
    ...updates({ path: one, handler: 'update-file', ...write, abilities: ['update'] }),
    { method: 'DELETE', path: one, handler: 'delete-file', ...write, abilities: ['delete'] },
    { method: 'PUT', path: `${one}/restore`, handler: 'restore-file', ...write, abilities: ['update'] },
  ]
}

const bytes = { '*/*': bytesBody }
const headers = ['ETag', 'Content-Disposition']

export const fileTexts = {
  file: {
    operationId: 'readFile',
    summary: 'Read a file',
    says: 'The name, the size and the record of a file. The files of a deleted record are not found until it is restored.',
    answers: { 200: success('The file.', 'FileDocument') },
  },
  'file-content': {
    operationId: 'readFileContent',
    summary: 'Read the content of a file',
    says: 'The bytes, as an attachment: browsers store them and do not show them as a page. The `ETag` is the SHA-256 of the content.',
    parameters: ['Range', 'IfNoneMatch'],
    answers: {
      200: answerOf('The content.', bytes, headers),
      206: answerOf('A part of it.', bytes, [...headers, 'Content-Range']),
    },
    refusals: { 416: 'RangeNotSatisfiable' },
  },
  'update-file': {
    operationId: 'updateFile',
    summary: 'Rename a file',
    says: 'Only the name can be changed. PUT and PATCH are the same. The attributes of a file can be sent back as they were read.',
    body: 'FileUpdate',
    answers: { 200: written('The file.', 'FileDocument') },
  },
  'delete-file': {
    operationId: 'deleteFile',
    summary: 'Delete a file',
    says: `The file can be restored for ${RESTORE_DAYS} days.`,
    answers: { 204: noContent('It is deleted.') },
  },
  'restore-file': {
    operationId: 'restoreFile',
    summary: 'Restore a file',
    says: `Restores a deleted file, for ${RESTORE_DAYS} days after its deletion. One that is not deleted stays as it is.`,
    answers: { 200: written('The file.', 'FileDocument') },
  },
} satisfies Record<string, OperationText>
