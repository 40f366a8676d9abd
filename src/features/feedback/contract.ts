import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { text } from '#wire/text.ts';

export const feedback = {
  send: endpoint({
    method: 'POST',
    path: '/v1/feedback',
    input: z.object({ feedback: text(5000).min(1) }),
    output: z.null(),
    only: 200,
    creates: true,
    summary: 'Send feedback to the operators of the site',
  }),
};
