/**
 * Agents that are known, for `stratum.agents`. Each note says what is certain, which somebody has read in a source or on the
 * wire, and what is only said. The tests replay what each is known to send.
 */

export const KNOWN_AGENTS = [
  {
    agent: 'stratum-bridge',
    takesReconnect: true,
    takesMessages: true,
    note: 'The reference rig of this project. Certain: its source follows and shows both.',
  },
  {
    agent: 'kdaminer',
    floor: 2 ** 40,
    alwaysClean: true,
    note: 'Goldshell KD-Box, KD2, KD5, KD6, KD Max. Certain: public notes of the dialect name kdaminer-v1.0.0 and kdaminer/1.0.0; the control port of these machines says kdaminer; no recorded pool gave an easier target than 2^40; no recorded pool sent a job with clean false. Only said: that they name themselves so to a pool, too.',
  },
  {
    agent: 'godminer',
    floor: 2 ** 42,
    powersOfTwo: true,
    alwaysClean: true,
    note: "Bitmain Antminer KA3. Certain: firmware of this name runs on Antminers of its time, and an Antminer KS3, for another chain, subscribed as GodMiner/2.0.0; 2^42 is where the node's own mining client starts. Only said: that the KA3 says the same, and that these take no difficulties but powers of two.",
  },
  {
    agent: 'blackminer',
    reversedNonce1: true,
    reversedNonce2: true,
    note: 'BlackMiner F1, an FPGA. Certain: a public pool server turns both parts of its nonce around. Only said: the name, which nobody has recorded; that server also gives it the chain id, in a form that is not known and not sent here.',
  },
];
