import pino, { type DestinationStream } from 'pino';

export type Log = pino.Logger;

/** JSON lines. Nothing personal, no secret, no query string may be handed to it. */
export const createLog = (level: string, destination: DestinationStream = pino.destination()): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
