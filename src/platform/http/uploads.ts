import type { FastifyInstance } from 'fastify';
import type { UploadEndpoint } from '#wire/endpoint.ts';
import { fail } from '#wire/errors.ts';

/** Accepts the content types of an upload and no others. */
export function takeFile(scope: FastifyInstance, { upload }: UploadEndpoint) {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    [...upload.types],
    { parseAs: 'buffer', bodyLimit: upload.max },
    (_request, file, done) => done(null, { file }),
  );
}

/** Accepts both form types of RFC 8058. Their content is ignored. */
export function takeForms(scope: FastifyInstance) {
  const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];
  scope.addContentTypeParser(forms, { parseAs: 'string' }, (_request, _form, done) => done(null, {}));
}

export const uploadedFile = ({ file }: { file?: Buffer }): Buffer =>
  file?.length ? file : fail('bad_input');
