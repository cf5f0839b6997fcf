/*
 * A lower bound for the cost of a UDP server: sets the QR bit of each datagram and sends it back. A second argument is the
 * minimum size of the response in bytes, because larger responses cost the kernel more.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int main(int argc, char **argv) {
    static unsigned char message[65536];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int bytes = 1 << 20;
    ssize_t minimum = argc > 2 ? atoi(argv[2]) : 0;
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    at.sin_port = htons((unsigned short) atoi(argc > 1 ? argv[1] : "0"));
    setsockopt(s, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (s < 0 || bind(s, (struct sockaddr *) &at, sizeof at) < 0) {
        perror("udp-echo");
        return 1;
    }
    for (;;) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        ssize_t n = recvfrom(s, message, sizeof message, 0, (struct sockaddr *) &from, &length);
        if (n > 3) {
            message[2] |= 0x80;
            sendto(s, message, (size_t) (n < minimum ? minimum : n), 0, (struct sockaddr *) &from, length);
        }
    }
}
