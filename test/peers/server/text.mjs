// Small forms that tools and prompts share.

/** A tool result with one text. */
export const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** The dot: a PNG of one red pixel. */
export const dot = Buffer.from([
  137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 144, 119, 83, 222,
  0, 0, 0, 12, 73, 68, 65, 84, 120, 156, 99, 248, 207, 192, 0, 0, 3, 1, 1, 0, 201, 254, 146, 239,
  0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
]).toString('base64');

/** Silence: a WAV of eight samples. */
export const silence = (() => {
  const samples = 8;
  const wav = Buffer.alloc(44 + samples, 128);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16); // size of the format
  wav.writeUInt16LE(1, 20); // PCM
  wav.writeUInt16LE(1, 22); // mono
  wav.writeUInt32LE(8000, 24);
  wav.writeUInt32LE(8000, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples, 40);
  return wav.toString('base64');
})();

/** An image of the dot. */
export const image = { type: 'image', data: dot, mimeType: 'image/png' };

/** An embedded resource. */
export const embedded = (uri, mimeType, body) => ({ type: 'resource', resource: { uri, mimeType, text: body } });

/** An object schema; every property of required has to be there. */
export const object = (properties, required) => ({ type: 'object', properties, ...(required && { required }) });

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
